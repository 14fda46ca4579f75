#include "textflag.h"

// func masksAVX2(buf *byte, words int, delim byte, ends, lines, quotes *uint64) (newlines int)
// Compares 64 bytes a turn with the three bytes that matter; a bit of each mask is the sign bit of a compared byte.
TEXT ·masksAVX2(SB), NOSPLIT, $0-56
	MOVQ         buf+0(FP), SI
	MOVQ         words+8(FP), CX
	MOVQ         ends+24(FP), DI
	MOVQ         lines+32(FP), R8
	MOVQ         quotes+40(FP), R9
	VPBROADCASTB delim+16(FP), Y0
	MOVQ         $0x0a, AX
	MOVQ         AX, X1
	VPBROADCASTB X1, Y1
	MOVQ         $0x22, AX
	MOVQ         AX, X2
	VPBROADCASTB X2, Y2
	XORQ         BX, BX
	XORQ         R10, R10

next:
	CMPQ      BX, CX
	JGE       done
	VMOVDQU   (SI), Y3
	VMOVDQU   32(SI), Y4
	VPCMPEQB  Y0, Y3, Y5
	VPCMPEQB  Y0, Y4, Y6
	VPMOVMSKB Y5, AX
	VPMOVMSKB Y6, DX
	SHLQ      $32, DX
	ORQ       DX, AX
	MOVQ      AX, (DI)(BX*8)
	VPCMPEQB  Y1, Y3, Y5
	VPCMPEQB  Y1, Y4, Y6
	VPMOVMSKB Y5, AX
	VPMOVMSKB Y6, DX
	SHLQ      $32, DX
	ORQ       DX, AX
	MOVQ      AX, (R8)(BX*8)
	POPCNTQ   AX, AX
	ADDQ      AX, R10
	VPCMPEQB  Y2, Y3, Y5
	VPCMPEQB  Y2, Y4, Y6
	VPMOVMSKB Y5, AX
	VPMOVMSKB Y6, DX
	SHLQ      $32, DX
	ORQ       DX, AX
	MOVQ      AX, (R9)(BX*8)
	ADDQ      $64, SI
	INCQ      BX
	JMP       next

done:
	MOVQ R10, newlines+48(FP)
	VZEROUPPER
	RET

DATA places<>+0(SB)/8, $0x0706050403020100
DATA places<>+8(SB)/8, $0x0f0e0d0c0b0a0908
DATA places<>+16(SB)/8, $0x1716151413121110
DATA places<>+24(SB)/8, $0x1f1e1d1c1b1a1918
DATA places<>+32(SB)/8, $0x2726252423222120
DATA places<>+40(SB)/8, $0x2f2e2d2c2b2a2928
DATA places<>+48(SB)/8, $0x3736353433323130
DATA places<>+56(SB)/8, $0x3f3e3d3c3b3a3938
GLOBL places<>(SB), RODATA|NOPTR, $64

// func fieldsAVX512(ends, lines *uint64, from int, to *uint32) (n int)
// Packs the places of a word's bits together, sixteen of which are written at once; few words have more.
TEXT ·fieldsAVX512(SB), NOSPLIT, $0-40
	MOVQ         ends+0(FP), SI
	MOVQ         lines+8(FP), R8
	MOVQ         from+16(FP), CX
	MOVQ         to+24(FP), DI
	MOVQ         DI, R9
	VMOVDQU8     places<>(SB), Z0
	MOVQ         CX, BX
	ANDQ         $~63, BX
	VPBROADCASTD BX, Z3
	MOVL         $64, AX
	VPBROADCASTD AX, Z4
	MOVQ         $-1, R10
	SHLQ         CX, R10

word:
	MOVQ          (SI), AX
	MOVQ          (R8), DX
	ANDQ          R10, AX
	ANDQ          R10, DX
	MOVQ          $-1, R10
	BLSMSKQ       DX, R11
	ANDQ          R11, AX      // up to the newline, all without one
	KMOVQ         AX, K1
	VPCOMPRESSB.Z Z0, K1, Z1
	VPMOVZXBD     X1, Z2
	VPADDD        Z3, Z2, Z2
	VMOVDQU32     Z2, (DI)
	POPCNTQ       AX, AX
	CMPQ          AX, $16
	JGT           more

behind:
	LEAQ   (DI)(AX*4), DI
	VPADDD Z4, Z3, Z3
	ADDQ   $8, SI
	ADDQ   $8, R8
	TESTQ  DX, DX
	JEQ    word
	SUBQ   R9, DI
	SHRQ   $2, DI
	MOVQ   DI, n+32(FP)
	VZEROUPPER
	RET

more:
	VEXTRACTI32X4 $1, Z1, X5
	VPMOVZXBD     X5, Z2
	VPADDD        Z3, Z2, Z2
	VMOVDQU32     Z2, 64(DI)
	VEXTRACTI32X4 $2, Z1, X5
	VPMOVZXBD     X5, Z2
	VPADDD        Z3, Z2, Z2
	VMOVDQU32     Z2, 128(DI)
	VEXTRACTI32X4 $3, Z1, X5
	VPMOVZXBD     X5, Z2
	VPADDD        Z3, Z2, Z2
	VMOVDQU32     Z2, 192(DI)
	JMP           behind
