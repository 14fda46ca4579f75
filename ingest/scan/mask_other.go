//go:build !amd64

package scan

func bestMasks(c *chunk, delim byte) int { return plainMasks(c, delim) }

func bestFields(c *chunk, from int, to []uint32) int { return plainFields(c, from, to) }
