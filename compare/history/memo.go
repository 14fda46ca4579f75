package history

// memo is what is known of kernels within a transaction: the runs of an import have the same ones again and again.
type memo struct {
	digests map[Key]identities
	series  map[string][]stored // by identity of the kernel; none of one that is not stored
}

// identities are the digests of a key, with its program and without.
type identities struct{ whole, kernel string }

func newMemo() *memo { return &memo{map[Key]identities{}, map[string][]stored{}} }

func (m *memo) of(k Key) identities {
	if m == nil {
		return identities{k.identity(), k.kernelIdentity()}
	}
	found, known := m.digests[k]
	if !known {
		found.kernel = k.kernelIdentity()
		found.whole = found.kernel
		if k.Program != "" {
			found.whole = k.identity()
		}
		m.digests[k] = found
	}
	return found
}
