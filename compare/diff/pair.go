package diff

import (
	"occudiff/ingest"
	"occudiff/ingest/names"
)

// pairings say what may differ between two launches of one task that are paired, from the least.
var pairings = [...]func(*ingest.Key){
	func(*ingest.Key) {},
	func(k *ingest.Key) { k.Device = "" },
	func(k *ingest.Key) { k.SIMD = 0 },
	func(k *ingest.Key) { k.Local = ingest.Size3{} },
	func(k *ingest.Key) { k.Global = ingest.Size3{} },
	func(k *ingest.Key) { k.Local, k.SIMD = ingest.Size3{}, 0 },
	func(k *ingest.Key) { k.Global, k.Local = ingest.Size3{}, ingest.Size3{} },
	func(k *ingest.Key) { k.Global, k.Local, k.SIMD = ingest.Size3{}, ingest.Size3{}, 0 },
	func(k *ingest.Key) { k.Global, k.Local, k.SIMD, k.Device = ingest.Size3{}, ingest.Size3{}, 0, "" },
	func(k *ingest.Key) { k.Task, _ = names.Stable(k.Task) }, // by the rule that a history has, too
}

// moves lists the stable names of launches that have a partner, where they count their likes.
func moves(pairs [][2]*samples) map[string]bool {
	stable := map[string]bool{}
	for _, p := range pairs {
		if p[0] == nil {
			continue
		}
		if name, ordinal := names.Stable(p[1].key.Task); ordinal {
			stable[name] = true
		}
	}
	return stable
}

// pair finds the launches that belong together: equal keys first, then what is left over by ever less of the key, each
// time only where one launch of either side fits. The rest stays alone. The order is that of the new side.
func pair(older, newer []*samples) [][2]*samples {
	pairs := make([][2]*samples, len(newer))
	for i, s := range newer {
		pairs[i][1] = s
	}
	taken := make([]bool, len(older))
	type pile struct{ older, newer []int }
	for level, blur := range pairings {
		piles := map[ingest.Key]*pile{}
		at := func(s *samples) *pile {
			key := s.key
			blur(&key)
			if piles[key] == nil {
				piles[key] = &pile{}
			}
			return piles[key]
		}
		for i, s := range older {
			if !taken[i] {
				p := at(s)
				p.older = append(p.older, i)
			}
		}
		if len(piles) == 0 {
			break
		}
		for i := range pairs {
			if pairs[i][0] == nil {
				p := at(pairs[i][1])
				p.newer = append(p.newer, i)
			}
		}
		var moved map[string]bool
		if level == len(pairings)-1 {
			moved = moves(pairs)
		}
		for _, p := range piles { // in any order: a launch is in one of them
			if len(p.older) != 1 || len(p.newer) != 1 {
				continue
			}
			was, is := p.older[0], p.newer[0]
			name, ordinal := names.Stable(newer[is].key.Task)
			if moved == nil || names.Follows(1, ordinal, ordinal && moved[name]) {
				pairs[is][0], taken[was] = older[was], true
			}
		}
	}
	for i, s := range older {
		if !taken[i] {
			pairs = append(pairs, [2]*samples{s, nil})
		}
	}
	return pairs
}
