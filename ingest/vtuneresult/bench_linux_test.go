package vtuneresult

import (
	"bufio"
	"cmp"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"strconv"
	"syscall"
	"testing"
	"time"

	"occudiff/ingest"
)

// BenchmarkLong reads a result with MB megabytes of compressed samples (32 by
// default). They are as large as real ones: four times that without
// compression. It reports the process's peak memory.
func BenchmarkLong(b *testing.B) {
	megabytes, _ := strconv.Atoi(cmp.Or(os.Getenv("MB"), "32"))
	s := mixed()
	s.launches = s.launches[:1]
	dir := b.TempDir()
	var samples string
	for name, file := range s.files("r") {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if filepath.Ext(path) == ".vtss" {
			samples = path
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(path, file.Data, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	size := writeSamples(b, samples, s, megabytes<<20)
	debug.FreeOSMemory()
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil { // resets the peak
		b.Skip(err)
	}
	b.SetBytes(size)
	reports, before := 0, processorTime(b)
	for b.Loop() {
		f, err := Format.ReadFolder(context.Background(), os.DirFS(dir), dir, ingest.ReadOptions{Threads: 1})
		if err != nil || f.Rows == 0 {
			b.Fatal(f, err)
		}
		reports = int(f.Rows)
	}
	spent := processorTime(b) - before
	b.ReportMetric(float64(size)*float64(b.N)/1e6/spent.Seconds(), "MB/s-of-a-core")
	status, err := os.ReadFile("/proc/self/status")
	peak := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(status)
	if err != nil || peak == nil {
		b.Fatal(err, runtime.GOOS)
	}
	kilobytes, _ := strconv.Atoi(string(peak[1]))
	b.ReportMetric(float64(kilobytes)/1000, "MB-peak")
	b.ReportMetric(float64(reports), "rows")
}

func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// writeSamples writes a sample file with at least the given size in bytes, and
// returns its size. Bytes that the metrics do not read are noise, so that the
// file compresses like a real one.
func writeSamples(b *testing.B, path string, s *synthetic, least int) int64 {
	out, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	defer out.Close()
	w := bufio.NewWriter(out)
	head := s.samples() // includes the first reports
	size := int64(len(head))
	w.Write(head)
	random := rand.New(rand.NewPCG(1, 2))
	for i := s.reports; size < int64(least); {
		var records [][]byte
		for range 2000 {
			r := s.report(i)
			for k := range 44 {
				r[len(r)-reportSize+40+k] = byte(random.Uint32())
			}
			records = append(records, r)
			i++
		}
		part := s.file(records...)[len(magic):]
		size += int64(len(part))
		w.Write(part)
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	return size
}
