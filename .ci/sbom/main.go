// Sbom prints, as SPDX 2.3 JSON, the modules that are linked into a Go binary.
// It reads the information that the linker wrote into the binary, so that the
// list contains the shipped modules and not those of go.mod.
//
// The output is the same for two builds of one commit, which .ci/run compares:
// it has no current time and no random name. Values that SPDX requires and the
// binary lacks are NOASSERTION.
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

// The types have the SPDX 2.3 fields that the program writes.
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

// run prints the list for a binary: first the program, then the modules in the
// order of the build information, and last Go's library.
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
	// SPDX requires CC0-1.0 as the license of the list itself, and a unique
	// namespace. The commit makes it unique.
	d := document{Version: "SPDX-2.3", License: "CC0-1.0", ID: "SPDXRef-DOCUMENT", Name: "occudiff",
		Namespace: "urn:occudiff:sbom:" + version,
		Creation:  creation{Created: created(), Creators: []string{"Tool: occudiff-sbom"}},
		Packages:  []pkg{{ID: "SPDXRef-occudiff", Name: "occudiff", Version: version, Location: "NOASSERTION"}},
		Relations: []relationship{{"SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-occudiff"}}}
	add := func(m *debug.Module) {
		// The binary contains the replacement of a module instead of the module
		// that go.mod replaces.
		if m.Replace != nil {
			m = m.Replace
		}
		p := pkg{ID: "SPDXRef-" + strconv.Itoa(len(d.Packages)), Name: m.Path, Version: m.Version,
			Location: "NOASSERTION"}
		if sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.Sum, "h1:")); err == nil && len(sum) == 32 {
			// The checksum covers the module's files, as in go.sum.
			p.Checksums = []checksum{{"SHA256", hex.EncodeToString(sum)}}
		}
		d.Packages = append(d.Packages, p)
		d.Relations = append(d.Relations, relationship{"SPDXRef-occudiff", "DEPENDS_ON", p.ID})
	}
	for _, m := range info.Deps {
		add(m)
	}
	// The standard library is linked, too, but the list of modules lacks it.
	add(&debug.Module{Path: "std", Version: info.GoVersion})
	enc := json.NewEncoder(os.Stdout)
	enc.SetIndent("", "  ")
	return enc.Encode(d)
}

// created returns the time of the commit, so that two builds of it are the
// same.
func created() string {
	seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	if err != nil {
		seconds = time.Now().Unix()
	}
	return time.Unix(seconds, 0).UTC().Format(time.RFC3339)
}
