package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
	"occudiff/internal/testenv"
)

// sources returns the Go files of the project by path, without tests.
func sources(t *testing.T) map[string]string {
	t.Helper()
	root := filepath.Join("..", "..")
	all := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		rel, _ := filepath.Rel(root, path)
		all[rel] = string(text)
		return err
	})
	if err != nil || len(all) == 0 {
		t.Fatalf("%d files, %v", len(all), err)
	}
	return all
}

// TestRenderers checks that the renderers do not decide the content of reports.
// A renderer must not use a section or column by its name, and must not sort.
func TestRenderers(t *testing.T) {
	for path, text := range sources(t) {
		dir := filepath.ToSlash(filepath.Dir(path))
		if !slices.Contains([]string{"report/excel", "report/html", "report/machine", "report/plot",
			"report/text"}, dir) {
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, text, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BinaryExpr:
				equal := n.Op == token.EQL || n.Op == token.NEQ
				if equal && (isKey(n.X) && isName(n.Y) || isKey(n.Y) && isName(n.X)) {
					t.Errorf("%s names a section or column", set.Position(n.Pos()))
				}
			case *ast.SwitchStmt:
				if n.Tag != nil && isKey(n.Tag) {
					t.Errorf("%s names sections or columns", set.Position(n.Pos()))
				}
			case *ast.CallExpr:
				f, ok := n.Fun.(*ast.SelectorExpr)
				if !ok {
					break
				}
				finds := slices.Contains([]string{"Section", "Table", "Column"}, f.Sel.Name)
				if finds && len(n.Args) == 1 && isName(n.Args[0]) {
					t.Errorf("%s looks for a section, table or column by its name", set.Position(n.Pos()))
				}
				// The schema is allowed to sort, because it lists fields by
				// name.
				if pkg, ok := f.X.(*ast.Ident); ok && (pkg.Name == "sort" || pkg.Name == "slices") &&
					strings.HasPrefix(f.Sel.Name, "Sort") && filepath.Base(path) != "schema.go" {
					t.Errorf("%s sorts", set.Position(n.Pos()))
				}
			}
			return true
		})
	}
}

// isKey reports whether an expression is the key of a section, table, or
// column.
func isKey(e ast.Expr) bool {
	s, ok := e.(*ast.SelectorExpr)
	return ok && s.Sel.Name == "Key"
}

// isName reports whether an expression is a literal name or a section constant,
// other than the empty string.
func isName(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		return e.Kind == token.STRING && e.Value != `""`
	case *ast.SelectorExpr:
		return strings.HasPrefix(e.Sel.Name, "Section")
	}
	return false
}

// TestExported fails for exported names that are used only in their own
// package. Types are not checked, because their values are used through other
// names. Constants are not checked if another constant of their group is used.
func TestExported(t *testing.T) {
	testenv.Needs(t, "export data of all packages")
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax, Dir: filepath.Join("..", ".."), Tests: true},
		"./...")
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{} // package path.name
	for _, p := range pkgs {
		for _, e := range p.Errors {
			t.Fatal(e)
		}
		for _, o := range p.TypesInfo.Uses {
			if o.Pkg() != nil && o.Pkg().Path() != p.PkgPath {
				used[o.Pkg().Path()+"."+o.Name()] = true
			}
		}
	}
	for _, p := range pkgs {
		if p.ID != p.PkgPath || p.Name == "main" {
			continue
		}
		for _, file := range p.Syntax {
			for _, d := range file.Decls {
				for _, name := range unusedNames(d, func(name string) bool { return used[p.PkgPath+"."+name] }) {
					t.Errorf("%s.%s has no user outside its package", p.PkgPath, name)
				}
			}
		}
	}
}

// unusedNames returns the unused exported functions, variables, and constants
// of a declaration.
func unusedNames(d ast.Decl, used func(name string) bool) (names []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			names = append(names, d.Name.Name)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			if v, ok := s.(*ast.ValueSpec); ok {
				for _, n := range v.Names {
					names = append(names, n.Name)
				}
			}
		}
		if d.Tok == token.CONST && slices.ContainsFunc(names, used) {
			return nil
		}
	}
	return slices.DeleteFunc(names, func(n string) bool { return !ast.IsExported(n) || used(n) })
}
