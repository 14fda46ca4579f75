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
