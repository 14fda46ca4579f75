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
	file  *os.File  // nil for standard input
	plain *inflated // nil when the file is not compressed
	sum   hash.Hash // of the bytes as they lie on the disk, as they are read from src.R
}

// open gives the plain bytes of a path.
func open(path string, opt Options) (o *opened, err error) {
	raw := &summed{Hash: sha256.New()}
	o = &opened{src: &Source{Path: path, Size: -1, R: raw}, sum: raw.Hash}
	var large bool
	if path == "-" {
		if opt.Stdin == nil {
			return nil, note.Faultf(codeMissing, note.Pos{File: path}, "give a path", "there is no standard input")
		}
		raw.r = opt.Stdin
	} else {
		if o.file, err = os.Open(path); err != nil {
			return nil, openFault(path, err)
		}
		info, err := o.file.Stat()
		if err != nil {
			o.file.Close()
			return nil, openFault(path, err)
		}
		// A pipe and a file of the kernel do not say how much there is.
		if raw.r = o.file; info.Mode().IsRegular() && info.Size() > 0 {
			o.src.Size = info.Size()
			large = info.Size() > hashLimit
		}
	}
	if o.plain, err = decompress(o.src); err != nil {
		o.close()
		return nil, readFault(path, err)
	}
	recoded, err := fromUTF16(o.src)
	if err != nil {
		o.close()
		return nil, readFault(path, err)
	}
	if err := fromCR(o.src, &recoded); err != nil {
		o.close()
		return nil, readFault(path, err)
	}
	if large && o.plain == nil && !recoded {
		o.src.At = o.file
	}
	return o, nil
}

// fromUTF16 replaces src.R by UTF-8 when the text begins with a byte order mark of UTF-16: so Windows PowerShell writes
// what a program prints into a file.
func fromUTF16(src *Source) (recoded bool, err error) {
	head, err := src.R.(*bufio.Reader).Peek(2)
	if err != nil && err != io.EOF {
		return false, err
	}
	if !bytes.Equal(head, []byte("\xff\xfe")) && !bytes.Equal(head, []byte("\xfe\xff")) {
		return false, nil
	}
	text := unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder().Reader(src.R)
	*src = Source{Path: src.Path, Size: -1, R: bufio.NewReaderSize(text, sniffSize)}
	return true, nil
}

// fromCR replaces src.R by text with line ends of LF when its lines end in CR alone, as old spreadsheets write them.
func fromCR(src *Source, recoded *bool) error {
	head, err := peek(src)
	if err != nil || bytes.IndexByte(head, '\r') < 0 || bytes.ContainsAny(head, "\n\x00") {
		return err
	}
	*src = Source{Path: src.Path, Size: -1, R: bufio.NewReaderSize(&lineEnds{r: src.R}, sniffSize)}
	*recoded = true
	return nil
}

// lineEnds makes LF of CR, and of CR LF one.
type lineEnds struct {
	r  io.Reader
	cr bool // the byte before was a CR
}

// Read implements io.Reader.
func (l *lineEnds) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	kept := p[:0]
	for _, c := range p[:n] {
		if c != '\n' || !l.cr {
			kept = append(kept, c)
		}
		if l.cr = c == '\r'; l.cr {
			kept[len(kept)-1] = '\n'
		}
	}
	return len(kept), err
}

// summed takes the digest of what is read, so that it is of the bytes that were parsed: a file may be replaced
// meanwhile.
type summed struct {
	r io.Reader
	hash.Hash
}

// Read implements io.Reader.
func (s *summed) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	s.Write(p[:n])
	return n, err
}

func (o *opened) close() {
	if o.plain != nil {
		o.plain.close()
	}
	if o.file != nil {
		o.file.Close()
	}
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
