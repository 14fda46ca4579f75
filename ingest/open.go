package ingest

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/text/encoding/unicode"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

// opened is an input that is ready to be read.
type opened struct {
	src   *Source
	sum   hash.Hash // of the bytes that are read, as they lie on the disk: a file may be replaced meanwhile
	close func()
}

// open gives the plain bytes of a path.
func open(path string, opt Options) (*opened, error) {
	o := &opened{src: &Source{Path: path, Size: -1, R: opt.Stdin}, sum: sha256.New(), close: func() {}}
	switch {
	case path != "-":
		file, err := os.Open(path)
		if err != nil {
			return nil, openFault(path, err)
		}
		o.src.R, o.close = file, func() { file.Close() }
		// A pipe and a file of the kernel do not say how much there is.
		if info, err := file.Stat(); err == nil && info.Mode().IsRegular() && info.Size() > 0 {
			o.src.Size = info.Size()
			if info.Size() > hashLimit {
				o.src.At = file
			}
		}
	case opt.Stdin == nil:
		return nil, note.Faultf(codeMissing, note.Pos{File: path}, "give a path", "there is no standard input")
	}
	o.src.R = bufio.NewReaderSize(io.TeeReader(o.src.R, o.sum), sniffSize)
	for _, recode := range []func(*opened) error{decompress, fromUTF16, fromCR} {
		if err := recode(o); err != nil {
			o.close()
			return nil, readFault(path, err)
		}
	}
	return o, nil
}

// replace takes other text for that of the file, which has neither size nor random access then.
func (src *Source) replace(r io.Reader) {
	*src = Source{Path: src.Path, Size: -1, R: bufio.NewReaderSize(r, sniffSize)}
}

// fromUTF16 makes UTF-8 of a text that begins with a byte order mark of UTF-16: so Windows PowerShell writes what a
// program prints into a file.
func fromUTF16(o *opened) error {
	head, err := peek(o.src)
	if bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) {
		o.src.replace(unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder().Reader(o.src.R))
	}
	return err
}

// fromCR makes line ends of LF where lines end in CR alone, as old spreadsheets write them.
func fromCR(o *opened) error {
	head, err := peek(o.src)
	if bytes.IndexByte(head, '\r') >= 0 && !bytes.ContainsAny(head, "\n\x00") {
		o.src.replace(lineEnds{o.src.R})
	}
	return err
}

// lineEnds makes LF of CR.
type lineEnds struct{ r io.Reader }

// Read implements io.Reader.
func (l lineEnds) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	for i, c := range p[:n] {
		if c == '\r' {
			p[i] = '\n'
		}
	}
	return n, err
}

func openFault(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return note.Faultf(codeMissing, note.Pos{File: path}, "check the path", "no such file")
	case errors.Is(err, fs.ErrPermission):
		return note.Faultf(codeUnreadable, note.Pos{File: path}, "check its permissions",
			"may not be read: permission denied")
	}
	return note.Faultf(codeUnreadable, note.Pos{File: path}, "", "cannot be read: %v", err)
}

func peek(src *Source) ([]byte, error) {
	head, err := src.R.(*bufio.Reader).Peek(sniffSize)
	if err != nil && err != io.EOF {
		return nil, err
	}
	return head, nil
}

func sniff(path string, head []byte, formats []Format) (Format, error) {
	pos := note.Pos{File: path}
	if len(bytes.TrimSpace(head)) == 0 {
		return nil, note.Faultf(codeEmpty, pos, "the collection or the export failed: run it again and look at what "+
			"vtune printed",
			"the file is empty; expected %s", listed(formats))
	}
	for _, f := range formats {
		if f.Sniff(head) {
			return f, nil
		}
	}
	if what := binaryKind(head); what != "" {
		return nil, note.Faultf(codeBinary, pos, exportHint,
			"this is %s; expected %s", what, listed(formats))
	}
	if ext := filepath.Ext(path); ext == ".cl" || ext == ".clcpp" {
		return nil, note.Faultf(codeUnknown, pos, "predict its kernels with 'occudiff predict', or give the export of "+
			"their run", "this is the source of kernels, which holds no run")
	}
	for _, o := range otherTools {
		if bytes.Contains(head, []byte(o.mark)) {
			return nil, note.Faultf(codeUnknown, pos, o.do, "this is %s", o.what)
		}
	}
	return nil, note.Faultf(codeUnknown, pos, exportHint,
		"not recognized as %s; its first line is %s", listed(formats), firstLine(head))
}

// otherTools are texts of tools that say nothing of a kernel's occupancy, by what only they print.
var otherTools = []struct{ mark, what, do string }{
	{"Hardware Event Count:", "VTune's report of hardware events (hw-events), which counts events by function and tells no " +
		"occupancy of a kernel", exportHint},
	{"EU SIMD Width:", "the output of sysmon, which lists GPUs and the processes on them, and no kernel",
		"take the name of the GPU from it for --device, and trace the program with: unitrace -d -v -q -o report.txt ./program"},
	{"XVE_INST_EXECUTED_", "a capture of xmxmon, which samples the counters of a whole GPU and names no kernel",
		"measure the program's kernels with: unitrace -d -v -q -o report.txt ./program"},
}

// listed lists formats as messages call them.
func listed(formats []Format) string {
	var list []string
	for _, f := range formats {
		if !slices.Contains(list, f.What()) {
			list = append(list, f.What())
		}
	}
	return unit.Listed(list, "or")
}

func firstLine(head []byte) string {
	line, _, _ := bytes.Cut(bytes.TrimLeft(head, "\r\n \t\ufeff"), []byte("\n"))
	line = bytes.ToValidUTF8(bytes.TrimSpace(line), []byte("?"))
	if len(line) > 60 {
		line = append(bytes.ToValidUTF8(line[:57:57], nil), "..."...)
	}
	return fmt.Sprintf("%q", line)
}

func binaryKind(head []byte) string {
	switch {
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		return "a zip archive or an Office document"
	case bytes.HasPrefix(head, []byte("\x7fELF")):
		return "a program"
	case bytes.HasPrefix(head, []byte("SQLite format 3")):
		return "a SQLite database"
	}
	if n := bytes.Count(head, []byte{0}); n*10 > len(head) {
		return "a binary file"
	}
	return ""
}
