// Command page compiles the page's program into cmd/page/site, where a build with the tag page takes it up.
package main

import (
	"context"
	"log"
	"os"
	"path/filepath"

	"occudiff/cmd/page/site"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: go run ./.ci/page VERSION")
	}
	p, err := site.Compile(context.Background(), ".", os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	for name, data := range map[string][]byte{"page.wasm.zst": p.Packed, "wasm_exec.js": []byte(p.Glue)} {
		if err := os.WriteFile(filepath.Join("cmd", "page", "site", name), data, 0o644); err != nil {
			log.Fatal(err)
		}
	}
}
