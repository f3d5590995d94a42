//go:build amd64 && !purego

#include "textflag.h"

// SHA-256 (FIPS 180-4, 6.2) of sixteen texts side by side: each register holds one word of
// each text, in lanes of 32 bits.
//
//	Z0 … Z7    the working variables a … h
//	Z8 … Z10   scratch
//	Z12        how bytes are swapped: words are big endian
//	Z13        where each text goes on
//	Z16 … Z31  the sixteen words of the message schedule that are needed next

// XOR3 makes Z8 the exclusive or of Z8, Z9 and Z10.
#define XOR3 VPTERNLOGD $0x96, Z9, Z10, Z8

// LOAD reads the next word of each text. A gather clears its mask.
#define LOAD(at, w) \
	KXNORW     K1, K1, K1             \
	VPGATHERDD at(SI)(Z13*1), K1, w   \
	VPSHUFB    Z12, w, w

// ROUND takes a word of the schedule in, with its constant at K. Where it leaves the
// variables, each is what the one before it in the alphabet was: the next round is told so.
#define ROUND(a, b, c, d, e, f, g, h, w, k) \
	VPADDD      w, h, h             \
	VPADDD.BCST k(DX), h, h         \
	VPRORD      $6, e, Z8           \
	VPRORD      $11, e, Z9          \
	VPRORD      $25, e, Z10         \
	XOR3                            \
	VPADDD      Z8, h, h            \
	VMOVDQA32   e, Z9               \
	VPTERNLOGD  $0xca, g, f, Z9     \
	VPADDD      Z9, h, h            \
	VPADDD      h, d, d             \
	VPRORD      $2, a, Z8           \
	VPRORD      $13, a, Z9          \
	VPRORD      $22, a, Z10         \
	XOR3                            \
	VPADDD      Z8, h, h            \
	VMOVDQA32   a, Z9               \
	VPTERNLOGD  $0xe8, c, b, Z9     \
	VPADDD      Z9, h, h

// SCHEDULE makes a word of the schedule the one that comes sixteen later, of those that
// come 1, 9 and 14 after it.
#define SCHEDULE(w, w1, w9, w14) \
	VPRORD $7, w1, Z8    \
	VPRORD $18, w1, Z9   \
	VPSRLD $3, w1, Z10   \
	XOR3                 \
	VPADDD Z8, w, w      \
	VPADDD w9, w, w      \
	VPRORD $17, w14, Z8  \
	VPRORD $19, w14, Z9  \
	VPSRLD $10, w14, Z10 \
	XOR3                 \
	VPADDD Z8, w, w

#define SIXTEEN_ROUNDS \
	ROUND(Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7, Z16, 0) \
	ROUND(Z7, Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z17, 4) \
	ROUND(Z6, Z7, Z0, Z1, Z2, Z3, Z4, Z5, Z18, 8) \
	ROUND(Z5, Z6, Z7, Z0, Z1, Z2, Z3, Z4, Z19, 12) \
	ROUND(Z4, Z5, Z6, Z7, Z0, Z1, Z2, Z3, Z20, 16) \
	ROUND(Z3, Z4, Z5, Z6, Z7, Z0, Z1, Z2, Z21, 20) \
	ROUND(Z2, Z3, Z4, Z5, Z6, Z7, Z0, Z1, Z22, 24) \
	ROUND(Z1, Z2, Z3, Z4, Z5, Z6, Z7, Z0, Z23, 28) \
	ROUND(Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7, Z24, 32) \
	ROUND(Z7, Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z25, 36) \
	ROUND(Z6, Z7, Z0, Z1, Z2, Z3, Z4, Z5, Z26, 40) \
	ROUND(Z5, Z6, Z7, Z0, Z1, Z2, Z3, Z4, Z27, 44) \
	ROUND(Z4, Z5, Z6, Z7, Z0, Z1, Z2, Z3, Z28, 48) \
	ROUND(Z3, Z4, Z5, Z6, Z7, Z0, Z1, Z2, Z29, 52) \
	ROUND(Z2, Z3, Z4, Z5, Z6, Z7, Z0, Z1, Z30, 56) \
	ROUND(Z1, Z2, Z3, Z4, Z5, Z6, Z7, Z0, Z31, 60)

#define SIXTEEN_WORDS \
	SCHEDULE(Z16, Z17, Z25, Z30) \
	SCHEDULE(Z17, Z18, Z26, Z31) \
	SCHEDULE(Z18, Z19, Z27, Z16) \
	SCHEDULE(Z19, Z20, Z28, Z17) \
	SCHEDULE(Z20, Z21, Z29, Z18) \
	SCHEDULE(Z21, Z22, Z30, Z19) \
	SCHEDULE(Z22, Z23, Z31, Z20) \
	SCHEDULE(Z23, Z24, Z16, Z21) \
	SCHEDULE(Z24, Z25, Z17, Z22) \
	SCHEDULE(Z25, Z26, Z18, Z23) \
	SCHEDULE(Z26, Z27, Z19, Z24) \
	SCHEDULE(Z27, Z28, Z20, Z25) \
	SCHEDULE(Z28, Z29, Z21, Z26) \
	SCHEDULE(Z29, Z30, Z22, Z27) \
	SCHEDULE(Z30, Z31, Z23, Z28) \
	SCHEDULE(Z31, Z16, Z24, Z29)

// func digestSixteen(s *sixteen, text *byte, blocks uint32)
TEXT ·digestSixteen(SB), NOSPLIT, $0-20
	MOVQ s+0(FP), DI
	MOVQ text+8(FP), SI
	MOVL blocks+16(FP), CX

	VBROADCASTI32X4 swap<>(SB), Z12
	VMOVDQU32       512(DI), Z13
	VMOVDQU32       0(DI), Z0
	VMOVDQU32       64(DI), Z1
	VMOVDQU32       128(DI), Z2
	VMOVDQU32       192(DI), Z3
	VMOVDQU32       256(DI), Z4
	VMOVDQU32       320(DI), Z5
	VMOVDQU32       384(DI), Z6
	VMOVDQU32       448(DI), Z7

block:
	LOAD(0, Z16)
	LOAD(4, Z17)
	LOAD(8, Z18)
	LOAD(12, Z19)
	LOAD(16, Z20)
	LOAD(20, Z21)
	LOAD(24, Z22)
	LOAD(28, Z23)
	LOAD(32, Z24)
	LOAD(36, Z25)
	LOAD(40, Z26)
	LOAD(44, Z27)
	LOAD(48, Z28)
	LOAD(52, Z29)
	LOAD(56, Z30)
	LOAD(60, Z31)
	LEAQ constants<>(SB), DX
	MOVL $3, BX
	SIXTEEN_ROUNDS

rounds:
	ADDQ $64, DX
	SIXTEEN_WORDS
	SIXTEEN_ROUNDS
	DECL BX
	JNZ  rounds

	VPADDD    0(DI), Z0, Z0
	VMOVDQU32 Z0, 0(DI)
	VPADDD    64(DI), Z1, Z1
	VMOVDQU32 Z1, 64(DI)
	VPADDD    128(DI), Z2, Z2
	VMOVDQU32 Z2, 128(DI)
	VPADDD    192(DI), Z3, Z3
	VMOVDQU32 Z3, 192(DI)
	VPADDD    256(DI), Z4, Z4
	VMOVDQU32 Z4, 256(DI)
	VPADDD    320(DI), Z5, Z5
	VMOVDQU32 Z5, 320(DI)
	VPADDD    384(DI), Z6, Z6
	VMOVDQU32 Z6, 384(DI)
	VPADDD    448(DI), Z7, Z7
	VMOVDQU32 Z7, 448(DI)

	VPADDD.BCST step<>(SB), Z13, Z13
	DECL        CX
	JNZ         block

	VMOVDQU32 Z13, 512(DI)
	VZEROUPPER
	RET

DATA swap<>+0(SB)/8, $0x0405060700010203
DATA swap<>+8(SB)/8, $0x0c0d0e0f08090a0b
GLOBL swap<>(SB), RODATA|NOPTR, $16

DATA step<>+0(SB)/4, $64
GLOBL step<>(SB), RODATA|NOPTR, $4

DATA constants<>+0(SB)/4, $0x428a2f98
DATA constants<>+4(SB)/4, $0x71374491
DATA constants<>+8(SB)/4, $0xb5c0fbcf
DATA constants<>+12(SB)/4, $0xe9b5dba5
DATA constants<>+16(SB)/4, $0x3956c25b
DATA constants<>+20(SB)/4, $0x59f111f1
DATA constants<>+24(SB)/4, $0x923f82a4
DATA constants<>+28(SB)/4, $0xab1c5ed5
DATA constants<>+32(SB)/4, $0xd807aa98
DATA constants<>+36(SB)/4, $0x12835b01
DATA constants<>+40(SB)/4, $0x243185be
DATA constants<>+44(SB)/4, $0x550c7dc3
DATA constants<>+48(SB)/4, $0x72be5d74
DATA constants<>+52(SB)/4, $0x80deb1fe
DATA constants<>+56(SB)/4, $0x9bdc06a7
DATA constants<>+60(SB)/4, $0xc19bf174
DATA constants<>+64(SB)/4, $0xe49b69c1
DATA constants<>+68(SB)/4, $0xefbe4786
DATA constants<>+72(SB)/4, $0x0fc19dc6
DATA constants<>+76(SB)/4, $0x240ca1cc
DATA constants<>+80(SB)/4, $0x2de92c6f
DATA constants<>+84(SB)/4, $0x4a7484aa
DATA constants<>+88(SB)/4, $0x5cb0a9dc
DATA constants<>+92(SB)/4, $0x76f988da
DATA constants<>+96(SB)/4, $0x983e5152
DATA constants<>+100(SB)/4, $0xa831c66d
DATA constants<>+104(SB)/4, $0xb00327c8
DATA constants<>+108(SB)/4, $0xbf597fc7
DATA constants<>+112(SB)/4, $0xc6e00bf3
DATA constants<>+116(SB)/4, $0xd5a79147
DATA constants<>+120(SB)/4, $0x06ca6351
DATA constants<>+124(SB)/4, $0x14292967
DATA constants<>+128(SB)/4, $0x27b70a85
DATA constants<>+132(SB)/4, $0x2e1b2138
DATA constants<>+136(SB)/4, $0x4d2c6dfc
DATA constants<>+140(SB)/4, $0x53380d13
DATA constants<>+144(SB)/4, $0x650a7354
DATA constants<>+148(SB)/4, $0x766a0abb
DATA constants<>+152(SB)/4, $0x81c2c92e
DATA constants<>+156(SB)/4, $0x92722c85
DATA constants<>+160(SB)/4, $0xa2bfe8a1
DATA constants<>+164(SB)/4, $0xa81a664b
DATA constants<>+168(SB)/4, $0xc24b8b70
DATA constants<>+172(SB)/4, $0xc76c51a3
DATA constants<>+176(SB)/4, $0xd192e819
DATA constants<>+180(SB)/4, $0xd6990624
DATA constants<>+184(SB)/4, $0xf40e3585
DATA constants<>+188(SB)/4, $0x106aa070
DATA constants<>+192(SB)/4, $0x19a4c116
DATA constants<>+196(SB)/4, $0x1e376c08
DATA constants<>+200(SB)/4, $0x2748774c
DATA constants<>+204(SB)/4, $0x34b0bcb5
DATA constants<>+208(SB)/4, $0x391c0cb3
DATA constants<>+212(SB)/4, $0x4ed8aa4a
DATA constants<>+216(SB)/4, $0x5b9cca4f
DATA constants<>+220(SB)/4, $0x682e6ff3
DATA constants<>+224(SB)/4, $0x748f82ee
DATA constants<>+228(SB)/4, $0x78a5636f
DATA constants<>+232(SB)/4, $0x84c87814
DATA constants<>+236(SB)/4, $0x8cc70208
DATA constants<>+240(SB)/4, $0x90befffa
DATA constants<>+244(SB)/4, $0xa4506ceb
DATA constants<>+248(SB)/4, $0xbef9a3f7
DATA constants<>+252(SB)/4, $0xc67178f2
GLOBL constants<>(SB), RODATA|NOPTR, $256
