//go:build js && wasm

// Command page is the occudiff that runs in a browser, within a worker of the page that `occudiff page` writes. The
// worker provides dropped files as a file system, so that everything below reads them as the program does.
//
// It turns questions of the page's scripts into calls of cmd/page/app and the answers into values of JavaScript. It
// knows no formulas, no words of an answer and no layout. A question and its answer are the messages of worker.js.
package main

import (
	"bytes"
	"context"
	"runtime/debug"
	"syscall/js"
	"time"

	"occudiff/cmd/page/app"
)

// site.Compile sets it, so that a report of the page names the same version as the program that wrote it.
var version = "devel" // set by the linker

// progressEvery is how often the page hears of progress.
const progressEvery = 100 * time.Millisecond

func main() {
	// A worker has memory of its own and lives for minutes: collecting less often keeps answers quick.
	debug.SetGCPercent(200)
	a, err := app.New(version)
	if err != nil {
		panic(err)
	}
	// worker.js has post and calls ask: no other names are shared.
	post := js.Global().Get("post")
	js.Global().Set("ask", js.FuncOf(func(_ js.Value, args []js.Value) any {
		// Reading files waits for the worker's file system, which a callback must not.
		go func() { post.Invoke(answer(a, args[0])) }()
		return nil
	}))
	post.Invoke(map[string]any{"kind": "ready", "version": version})
	// A program that returns from main takes its callbacks with it.
	select {}
}

// answer answers a question of the page. It has the question's number, by which the page knows what it belongs to.
// A fault is an answer too, so that each question has exactly one.
func answer(a *app.App, q js.Value) map[string]any {
	kind := q.Get("kind").String()
	out := map[string]any{"kind": kind, "id": q.Get("id")}
	last := time.Now()
	a.Progress = func(read, total int64) {
		if now := time.Now(); now.Sub(last) >= progressEvery {
			last = now
			js.Global().Get("post").Invoke(map[string]any{"kind": "progress", "id": q.Get("id"),
				"read": float64(read), "total": float64(total)})
		}
	}
	r, err := ask(a, kind, q, out)
	if err != nil {
		var faults []any
		for _, f := range app.FaultsOf(err) {
			faults = append(faults, map[string]any{"where": f.Where, "text": f.Text, "hint": f.Hint})
		}
		out["faults"] = faults
		return out
	}
	if r != nil {
		fields := map[string]any{}
		for name, text := range r.Fields {
			fields[name] = text
		}
		out["html"], out["styles"], out["fields"], out["name"] = r.HTML, r.Styles, fields, r.Name
	}
	return out
}

func ask(a *app.App, kind string, q js.Value, out map[string]any) (*app.Result, error) {
	ctx := context.Background()
	switch kind {
	case "predict":
		return a.Predict(launch(q))
	case "beside":
		return a.Beside(launch(q))
	case "validate":
		return a.Validate(ctx, texts(q.Get("paths")), asked(q))
	case "example":
		return a.Example(ctx)
	case "compare":
		var sides [][]string
		for i := range q.Get("paths").Length() {
			sides = append(sides, texts(q.Get("paths").Index(i)))
		}
		return a.Compare(ctx, sides, asked(q))
	case "download":
		var b bytes.Buffer
		if err := a.Download(&b, q.Get("format").String()); err != nil {
			return nil, err
		}
		data := js.Global().Get("Uint8Array").New(b.Len())
		js.CopyBytesToJS(data, b.Bytes())
		out["data"] = data
	}
	return nil, nil
}

// launch is the state of the form.
// Its fields are not named here: a new one of the form reaches app without a change of this file.
func launch(q js.Value) app.Launch {
	f, state := app.Launch{}, q.Get("state")
	names := js.Global().Get("Object").Call("keys", state)
	for i := range names.Length() {
		name := names.Index(i).String()
		f[name] = state.Get(name).String()
	}
	return f
}

func asked(q js.Value) app.Asked {
	of := q.Get("asked")
	return app.Asked{Device: of.Get("device").String(), Tolerance: of.Get("tolerance").Float(),
		Interval: of.Get("interval").Float()}
}

func texts(list js.Value) []string {
	all := make([]string, list.Length())
	for i := range all {
		all[i] = list.Index(i).String()
	}
	return all
}
