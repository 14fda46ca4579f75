// Sbom prints, as SPDX 2.3 JSON, the modules that are linked into a Go binary.
// It reads what the linker wrote into the binary, so that the list is of what
// is shipped and not of what go.mod asks for.
//
// The output is the same for two builds of one commit, which .ci/run compares:
// it has no time of its own and no random name. What SPDX asks for and the
// binary does not say is NOASSERTION.
package main

import (
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"time"
)

// The types have those fields of SPDX 2.3 that are written.
type (
	document struct {
		Version   string         `json:"spdxVersion"`
		License   string         `json:"dataLicense"`
		ID        string         `json:"SPDXID"`
		Name      string         `json:"name"`
		Namespace string         `json:"documentNamespace"`
		Creation  creation       `json:"creationInfo"`
		Packages  []pkg          `json:"packages"`
		Relations []relationship `json:"relationships"`
	}
	creation struct {
		Created  string   `json:"created"`
		Creators []string `json:"creators"`
	}
	pkg struct {
		ID        string     `json:"SPDXID"`
		Name      string     `json:"name"`
		Version   string     `json:"versionInfo"`
		Location  string     `json:"downloadLocation"`
		Analyzed  bool       `json:"filesAnalyzed"`
		Checksums []checksum `json:"checksums,omitempty"`
	}
	checksum struct {
		Algorithm string `json:"algorithm"`
		Value     string `json:"checksumValue"`
	}
	relationship struct {
		From string `json:"spdxElementId"`
		Type string `json:"relationshipType"`
		To   string `json:"relatedSpdxElement"`
	}
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: sbom BINARY")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

// run prints the list of a binary: the program first, the modules in the order
// of the build information, Go's library last.
func run(path string) error {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return err
	}
	version := "devel"
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			version = s.Value
		}
	}
	// SPDX wants CC0-1.0 as the license of the list itself, and a namespace
	// that no other list has: the commit makes it one.
	d := document{Version: "SPDX-2.3", License: "CC0-1.0", ID: "SPDXRef-DOCUMENT", Name: "occudiff",
		Namespace: "urn:occudiff:sbom:" + version,
		Creation:  creation{Created: created(), Creators: []string{"Tool: occudiff-sbom"}},
		Packages:  []pkg{{ID: "SPDXRef-occudiff", Name: "occudiff", Version: version, Location: "NOASSERTION"}},
		Relations: []relationship{{"SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-occudiff"}}}
	add := func(m *debug.Module) {
		// What go.mod replaces is not in the binary; its replacement is.
		if m.Replace != nil {
			m = m.Replace
		}
		p := pkg{ID: "SPDXRef-" + strconv.Itoa(len(d.Packages)), Name: m.Path, Version: m.Version,
			Location: "NOASSERTION"}
		if sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.Sum, "h1:")); err == nil && len(sum) == 32 {
			p.Checksums = []checksum{{"SHA256", hex.EncodeToString(sum)}} // of the module's files, as go.sum has it
		}
		d.Packages = append(d.Packages, p)
		d.Relations = append(d.Relations, relationship{"SPDXRef-occudiff", "DEPENDS_ON", p.ID})
	}
	for _, m := range info.Deps {
		add(m)
	}
	// The standard library is linked, too, and is no module of the list.
	add(&debug.Module{Path: "std", Version: info.GoVersion})
	enc := json.NewEncoder(os.Stdout)
	enc.SetIndent("", "  ")
	return enc.Encode(d)
}

// created is the time of the commit, so that two builds of it are the same.
func created() string {
	seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	if err != nil {
		seconds = time.Now().Unix()
	}
	return time.Unix(seconds, 0).UTC().Format(time.RFC3339)
}
