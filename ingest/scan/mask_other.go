//go:build !amd64

package scan

func bestMasks(c *chunk, delim byte) int { return plainMasks(c, delim) }
