package ingest

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/text/encoding/unicode"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

// opened is an input that is ready to be read.
type opened struct {
	src *Source
	// sum is the digest of the bytes read, before decompression. A file may be
	// replaced while it is read.
	sum   hash.Hash
	close func()
}

// open returns a path's decompressed bytes.
func open(ctx context.Context, path string, opt Options) (*opened, error) {
	o := &opened{src: &Source{Path: path, Size: -1, R: opt.Stdin}, sum: sha256.New(), close: func() {}}
	switch {
	case path != "-":
		file, r, err := OpenFile(ctx, path)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			return nil, openError(path, err)
		}
		o.src.R, o.close = r, func() { file.Close() }
		// Pipes and kernel files have no known size.
		if info, err := file.Stat(); err == nil && info.Mode().IsRegular() && info.Size() > 0 {
			o.src.Size = info.Size()
			if info.Size() > hashLimit {
				o.src.At = file
			}
		}
	case opt.Stdin == nil:
		return nil, note.Errorf(codeMissing, note.InFile(path), "give a path", "there is no standard input")
	}
	o.src.R = bufio.NewReaderSize(io.TeeReader(o.src.R, o.sum), sniffSize)
	for _, recode := range []func(*opened) error{decompress, fromUTF16, fromCR} {
		if err := recode(o); err != nil {
			o.close()
			return nil, readError(path, err)
		}
	}
	return o, nil
}

// replace replaces the file's content. The new content has neither a size nor
// random access.
func (src *Source) replace(r io.Reader) {
	*src = Source{Path: src.Path, Size: -1, R: bufio.NewReaderSize(r, sniffSize)}
}

// fromUTF16 converts text to UTF-8 if it begins with a UTF-16 byte order mark.
// Windows PowerShell writes redirected output in this form.
func fromUTF16(o *opened) error {
	head, err := peek(o.src)
	if bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) {
		o.src.replace(unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder().Reader(o.src.R))
	}
	return err
}

// fromCR converts line ends to LF if lines end with only CR, as in old
// spreadsheet files.
func fromCR(o *opened) error {
	head, err := peek(o.src)
	if bytes.IndexByte(head, '\r') >= 0 && !bytes.ContainsAny(head, "\n\x00") {
		o.src.replace(&lineEnds{r: o.src.R})
	}
	return err
}

// lineEnds converts CR to LF and CR LF to a single LF.
type lineEnds struct {
	r  io.Reader
	cr bool // whether the previous byte was a CR
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

func openError(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return note.Errorf(codeMissing, note.InFile(path), "check the path", "no such file%s", nearestName(path))
	case errors.Is(err, fs.ErrPermission):
		return note.Errorf(codeUnreadable, note.InFile(path), "check its permissions",
			"may not be read: permission denied")
	}
	return note.Errorf(codeUnreadable, note.InFile(path), "", "cannot be read: %v", err)
}

// nearestName returns a question that suggests the most similar name in the
// same folder for a missing path. It is empty if no name is similar. For
// example, "; did you mean out/run.csv?".
func nearestName(path string) string {
	folder, name := filepath.Split(path)
	entries, _ := os.ReadDir(cmp.Or(folder, "."))
	var names []string
	for _, e := range entries {
		if e.Name() != name { // a link to a missing file has the name itself
			names = append(names, e.Name())
		}
	}
	return note.DidYouMean(folder, name, names)
}

func peek(src *Source) ([]byte, error) {
	head, err := src.R.(*bufio.Reader).Peek(sniffSize)
	if err != nil && err != io.EOF {
		return nil, err
	}
	return head, nil
}

func sniff(path string, head []byte, formats []Format) (none Format, err error) {
	pos := note.InFile(path)
	if len(bytes.TrimSpace(head)) == 0 {
		return none, note.Errorf(codeEmpty, pos, "the collection or the export failed: run it again and look at what "+
			"vtune printed",
			"the file is empty; expected %s", listed(formats))
	}
	for _, f := range formats {
		if f.Sniff(head) {
			return f, nil
		}
	}
	if what := binaryKind(head); what != "" {
		return none, note.Errorf(codeBinary, pos, exportHint,
			"this is %s; expected %s", what, listed(formats))
	}
	if ext := filepath.Ext(path); ext == ".cl" || ext == ".clcpp" {
		return none, note.Errorf(CodeUnknown, pos,
			"predict its kernels with 'occudiff predict', or give the export of their run",
			"this is the source of kernels, which contains no run")
	}
	for _, o := range otherTools {
		if bytes.Contains(head, []byte(o.mark)) {
			return none, note.Errorf(CodeUnknown, pos, o.do, "this is %s", o.what)
		}
	}
	return none, note.Errorf(CodeUnknown, pos, exportHint,
		"not recognized as %s; its first line is %s", listed(formats), firstLine(head))
}

// otherTools lists outputs without kernel occupancy. mark is a string that only
// this tool prints.
var otherTools = []struct{ mark, what, do string }{
	{"Hardware Event Count:", "VTune's report of hardware events (hw-events), which counts events by function and contains no occupancy of a kernel", exportHint},
	{"EU SIMD Width:", "the output of sysmon, which lists GPUs and the processes on them, but no kernels",
		"take the name of the GPU from it for --device, and trace the program with: unitrace -d -v -q -o report.txt ./program"},
	{"# of Calls", "the table that PyTorch's profiler prints, which has neither launch sizes nor occupancy",
		`export a trace with prof.export_chrome_trace("t.json"), and add a VTune export or the report of ` +
			"unitrace -q -v"},
	{"XVE_INST_EXECUTED_", "a capture of xmxmon, which samples the counters of a whole GPU and names no kernel",
		"measure the program's kernels with: unitrace -d -v -q -o report.txt ./program"},
}

// listed returns the formats' descriptions for a message.
func listed(formats []Format) string {
	var list []string
	for _, f := range formats {
		if !slices.Contains(list, f.Description) {
			list = append(list, f.Description)
		}
	}
	return unit.JoinWords(list, "or")
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

// decompress replaces content that begins like gzip or zstd by the decompressed
// bytes.
func decompress(o *opened) error {
	br := o.src.R.(*bufio.Reader)
	magic, err := br.Peek(4)
	if err != nil && err != io.EOF {
		return err
	}
	in := &inflated{path: o.src.Path}
	done := o.close
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		z, err := gzip.NewReader(br)
		if err != nil {
			return in.inputError(err)
		}
		z.Multistream(false)
		in.r = &members{br, z}
	case bytes.Equal(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		z, err := zstd.NewReader(br, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(256<<20))
		if err != nil {
			return in.inputError(err)
		}
		in.r, o.close = z, func() { z.Close(); done() }
	default:
		return nil
	}
	o.src.replace(in)
	return nil
}

// inflated decompresses a file. It returns io.EOF only at the end that the
// compressed file marks. All other errors state up to which point the file is
// complete, because the part before the error may be an incomplete run.
type inflated struct {
	path         string
	r            io.Reader
	bytes, lines int64
}

// Read implements io.Reader.
func (in *inflated) Read(p []byte) (int, error) {
	n, err := in.r.Read(p)
	in.bytes += int64(n)
	in.lines += int64(bytes.Count(p[:n], []byte{'\n'}))
	if err != nil && err != io.EOF {
		err = in.inputError(err)
	}
	return n, err
}

// inputError returns an error that distinguishes a damaged file from a failure
// to read it.
func (in *inflated) inputError(err error) error {
	var path *fs.PathError
	text := fmt.Sprintf("is damaged %s: %v", in.place(), err)
	switch {
	case errors.As(err, &path), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		text = "is cut off " + in.place()
	case errors.Is(err, errTrailing):
		return note.Errorf(codeDamaged, note.InFile(in.path),
			"if the file is complete without them, unpack it with 'gzip -dc', which ignores them",
			"bytes that are not gzip follow the end of the compressed file, %s", in.place())
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, zstd.ErrCRCMismatch):
		text = "is damaged: its checksum does not match the decompressed data " + in.place()
	}
	return note.Errorf(codeDamaged, note.InFile(in.path), "copy or compress it again",
		"the compressed file %s", text)
}

// place returns the point up to which the file is complete, for messages.
func (in *inflated) place() string {
	if in.bytes == 0 {
		return "before any text"
	}
	return fmt.Sprintf("after %d bytes of text, in line %d", in.bytes, in.lines+1)
}

// members reads a gzip file's members as one stream. Considered and rejected:
// the library's multistream mode, because it reports any bytes after the last
// member as a truncated member.
type members struct {
	br *bufio.Reader
	z  *gzip.Reader
}

// errTrailing means that the bytes after a complete member are neither a member
// nor padding.
var errTrailing = errors.New("bytes that are not gzip follow the end")

// Read implements io.Reader.
func (m *members) Read(p []byte) (int, error) {
	n, err := m.z.Read(p)
	if err != io.EOF {
		return n, err
	}
	head, err := m.br.Peek(2)
	switch {
	case len(head) == 0:
		return n, err
	// A single byte may start a truncated member, which begins with two known
	// bytes.
	case head[0] == 0x1f && (len(head) == 1 || head[1] == 0x8b):
		err := m.z.Reset(m.br)
		if err == io.EOF { // more bytes were expected
			err = io.ErrUnexpectedEOF
		}
		m.z.Multistream(false)
		return n, err
	}
	// Tapes and block devices fill the last block with zeros.
	for {
		c, err := m.br.ReadByte()
		switch {
		case err != nil:
			return n, err
		case c != 0:
			return n, errTrailing
		}
	}
}

// maxNotebook is a notebook's maximum size, including its charts.
const maxNotebook = 64 << 20

// fromNotebook replaces src.R by the cells' outputs if the file is a Jupyter
// notebook. Intel's thread-mapping exercise is such a notebook: its outputs are
// logs and job files. Lines are counted in the outputs, because a notebook's
// user never sees the lines of its JSON.
func fromNotebook(src *Source) (is bool, err error) {
	head, err := peek(src)
	if err != nil || !isNotebook(head) {
		return false, err
	}
	raw, err := io.ReadAll(io.LimitReader(src.R, maxNotebook+1))
	if err != nil {
		return true, err
	}
	pos := note.InFile(src.Path)
	if len(raw) > maxNotebook {
		return true, note.Errorf(CodeUnknown, pos,
			"clear the outputs that are charts, or save what the cells printed as a file",
			"the notebook is larger than %d MiB", maxNotebook>>20)
	}
	raw = bytes.TrimPrefix(raw, []byte("\ufeff"))
	var n notebook
	if err := json.Unmarshal(raw, &n); err != nil {
		if at, ok := errors.AsType[*json.SyntaxError](err); ok {
			pos.Line = 1 + bytes.Count(raw[:at.Offset], []byte{'\n'})
		}
		return true, note.Errorf(codeDamaged, pos, "save the notebook again", "the notebook cannot be read: %v", err)
	}
	var out bytes.Buffer
	for _, part := range append(n.Worksheets, n.worksheet) {
		for _, c := range part.Cells {
			for _, o := range c.Outputs {
				out.WriteString(string(o.Text + o.Data.Plain))
			}
		}
	}
	if len(bytes.TrimSpace(out.Bytes())) == 0 {
		return true, note.Errorf(CodeUnknown, pos, "run its cells and save it, or give what they print as a file",
			"no cell of the notebook has printed anything")
	}
	src.replace(&out)
	return true, nil
}

// A notebook contains the texts that its cells printed, including the standard
// error of a program. Before version 4, a notebook had worksheets.
type notebook struct {
	worksheet
	Worksheets []worksheet
}

type worksheet struct {
	Cells []struct {
		Outputs []struct {
			Text printed
			Data struct {
				Plain printed `json:"text/plain"`
			}
		}
	}
}

// printed is a text that ends with a line end, or is empty. JSON contains it as
// a string or as a list of lines.
type printed string

// UnmarshalJSON implements json.Unmarshaler.
func (p *printed) UnmarshalJSON(b []byte) error {
	lines := make([]string, 1)
	err := json.Unmarshal(b, &lines[0])
	if err != nil {
		err = json.Unmarshal(b, &lines)
	}
	if *p = printed(strings.Join(lines, "")); *p != "" && !strings.HasSuffix(string(*p), "\n") {
		*p += "\n"
	}
	return err
}

// ofNotebook adds to an error that it is about a notebook's outputs.
func ofNotebook(notebook bool, err error) error {
	if f, ok := errors.AsType[*note.InputError](err); ok && notebook {
		n := *f
		n.Text = "the outputs of this notebook: " + f.Text
		return &n
	}
	return err
}

// isNotebook reports whether a text is a notebook. It checks for keys near the
// beginning, because no other key is sorted before all.
func isNotebook(head []byte) bool {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n")
	return bytes.HasPrefix(head, []byte("{")) && bytes.Contains(head, []byte(`"cell_type"`)) &&
		(bytes.Contains(head, []byte(`"cells"`)) || bytes.Contains(head, []byte(`"worksheets"`)))
}
