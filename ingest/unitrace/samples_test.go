package unitrace

// The samples are constructed after the printing code and the README files of intel/pti-gpu at fcd0ca8: table and
// column names are the tools', kernels and numbers are made up.
const (
	oneprofQuery = `== Query Kernel Metrics ==

Kernel,SubDeviceId,GpuTime[ns],EuActive[%],EuStall[%],EuThreadOccupancy[%],ShaderBarriers[messages],CsThreads[threads],ReportsCount,
GEMM[SIMD32 {4; 1024; 1} {256; 1; 1}],0,1000,75,25,90,12,32768,1,

Kernel,SubDeviceId,GpuTime[ns],EuActive[%],EuStall[%],EuThreadOccupancy[%],ShaderBarriers[messages],CsThreads[threads],ReportsCount,
GEMM[SIMD32 {4; 1024; 1} {256; 1; 1}],0,3000,75,20,1e+02,12,32768,1,
`
	oneprofSamples = `== Raw Kernel Intervals ==

Kernel,SubDeviceId,Time[ns],Start[ns],End[ns],
GEMM[SIMD32 {2; 512; 1} {256; 1; 1}],0,4800,100,4900,

== Kernel Metrics ==

Kernel,SubDeviceId,GpuTime[ns],EuActive[%],EuStall[%],EuThreadOccupancy[%],ReportReason,StreamMarker,
GEMM[SIMD32 {2; 512; 1} {256; 1; 1}],0,1000,50,30,80,1,7,
GEMM[SIMD32 {2; 512; 1} {256; 1; 1}],0,3000,50,30,100,1,7,

== Raw Metrics ==

SubDeviceId,GpuTime[ns],EuThreadOccupancy[%],
0,665083,82.9885,
`
	oneprofAggregated = `== Aggregated Kernel Metrics ==

Kernel,SubDeviceId,KernelTime[ns],GpuTime[ns],EuThreadOccupancy[%],StreamMarker,
GEMM[SIMD_ANY {4; 1024; 1} {256; 1; 1}],0,4200,4300,99.5,40,
Kernel,SubDeviceId,KernelTime[ns],GpuTime[ns],EuThreadOccupancy[%],StreamMarker,
GEMM[SIMD_ANY {4; 1024; 1} {256; 1; 1}],1,4400,4300,97.5,40,
`
	onetraceCL = `=== API Timing Results: ===

== CL GPU Backend: ==

 Function, Calls, Time (ns), Time (%), Average (ns), Min (ns), Max (ns)
 clFinish,     4,        10,   100.00,            2,        2,        3

=== Device Timing Results: ===

== CL GPU Backend: ==

                                  Kernel,   Calls,   Time (ns),  Time (%),     Average (ns),      Min (ns),      Max (ns)
GEMM[SIMD32, {1024, 1024, 1}, {0, 0, 0}],       4,   172101915,     96.93,         43025478,      42804333,      43375416
  ADD[SIMD16 {1024; 2; 1} {64; 2; 1}],          1,        1000,      0.10,             1000,          1000,          1000
     clEnqueueWriteBuffer[4194304 bytes],       8,     3217914,      1.81,           402239,        277416,        483750
      clEnqueueReadBuffer[4194304],             4,     2225152,      1.25,           556288,        527122,        570898

== CL CPU Backend: ==

 Kernel,   Calls,   Time (ns),  Time (%),     Average (ns),      Min (ns),      Max (ns)
 HOST,         1,           5,       100,                5,             5,             5

=== Kernel Properties ===

 Kernel, Compiled, SIMD, Number of Arguments, SLM Per Work Group, Private Memory Per Thread, Spill Memory Per Thread, Register File Size Per Thread
 "ADD[SIMD16 {1024; 2; 1} {64; 2; 1}]",      JIT,  16,                   4,                  64,                         0,                       128,                           unknown
`
	unitraceQuery = `
=== Device #0 Metrics ===

Kernel,GlobalInstanceId,SubDeviceId,GpuTime[us],XVE_THREADS_OCCUPANCY_ALL[%],XVE_COMPUTE_THREAD_COUNT[threads]
"f(int, float)[SIMD16 {2; 1; 1} {32; 1; 1}]",1,0,10,40,2
"f(int, float)[SIMD16 {2; 1; 1} {32; 1; 1}]",1,1,30,80,2

"f(int, float)[SIMD16 {2; 1; 1} {32; 1; 1}]",2,0,10,50,2

=== Device #1 Metrics ===

Kernel,GlobalInstanceId,SubDeviceId,GpuTime[us],XVE_THREADS_OCCUPANCY_ALL[%],XVE_COMPUTE_THREAD_COUNT[threads]
"f(int, float)[SIMD16 {2; 1; 1} {32; 1; 1}]",1,0,10,60,2
[INFO] Kernel metrics are stored in x.csv
`
	unitraceSampled = `=== Device Timing Summary ===

== L0 Backend ==

                Kernel,        Calls,            Time (ns),     Time (%)
"f(int)",   10,  70000,  50.0
"Tile #1: g(int)",   5,  1000,  50.0

Kernel, GlobalInstanceId, GpuTime[ns], XVE_ACTIVE[%], XVE_STALL[%], XVE_THREADS_OCCUPANCY_ALL[%], ReportReason, StreamMarker
"f(int)[SIMD32 {8192; 1; 1} {128; 1; 1}]", 7, 1000, 10, 20, 30, 1, 0
"f(int)[SIMD32 {8192; 1; 1} {128; 1; 1}]", 7, 1000, 10, 20, 50, 1, 0

"NoKernel(Before f(int)[SIMD32 {8192; 1; 1} {128; 1; 1}])", 1000009, 1000, 0, 0, 0, 1, 0

"f(int)[SIMD32 {8192; 1; 1} {128; 1; 1}]", 9, 1000, 10, 20, 70, 1, 0
`
	timelines = `program output
Thread 47342 Device 59736512 : "zeCommandListAppendMemoryCopy(M2D)[4194304]<1.1>" [ns] 42 (append) 50 (submit) 100 (start) 350 (end)
Thread 47342 Device 59736512 : "f(int, int)[SIMD32 {1; 1024; 1} {1024; 1; 1}]<2.1>" [ns] 42 (append) 50 (submit) 1000 (start) 3000 (end)
Thread 47342 Device 59736512 : "f(int, int)[SIMD32 {1; 1024; 1} {1024; 1; 1}]" [ns] 42 (append) 50 (submit) 4000 (start) 8000 (end)
Thread 47342 Device 59736512 : "f(int, int)[SIMD32 {1; 1024; 1} {1024; 1; 1}]" [ns] 42 (append) 50 (submit) 9000 (start) 8000 (end)
Thread 47110 Device 71190816 : GEMM[SIMD16 {1024; 1; 1} {64; 1; 1}] [ns] 42 (append) 50 (submit) 0 (start) 5 (end)
Device Timeline (queue: 0x55a9c7e51e70): ADD [ns] = 317341082 (queued) 317355010 (submit) 10 (start) 20 (end)

=== Device Timing Summary ===

== L0 Backend ==

        Kernel,        Calls,            Time (ns)
"f(int, int)",             2,                 6000
"zeCommandListAppendMemoryCopy(M2D)",  1,      250
`
	submission = `=== Kernel Submission Results: ===

                            Kernel,       Calls,         Append (ns),  Append (%),         Submit (ns),  Submit (%),        Execute (ns), Execute (%),
                              GEMM,           4,              553087,       10.79,            12441082,        3.03,           169770832,       97.24,
zeCommandListAppendMemoryCopy(D2D)[64],       2,                   1,       10.79,                   1,        3.03,                 500,       97.24,
`

	// As unitrace prints it by its source; figures made up.
	stallSampling = `=== Device #0 Metrics ===

                            Kernel, IP[Address], Active[Events], ControlStall[Events], SendStall[Events], DistStall[Events], SbidStall[Events]
                                  "GEMM",          c0,              2,                    0,                 1,                 0,           0
                                  "GEMM",         360,              8,                    0,                 0,                 3,           0
    "at::Kernel<4, at::Pow<float> >",          80,             10,                    0,                 0,                 0,          18
                               "active",          80,             10,                    0,                 0,                 0,           0
"at::Kernel<4, at::Pow<float> >", 90, 1,                                0,  0, 0, x
"GEMM",370,0,0,0,0,0
`

	// As in a picture of Intel's documentation of 2023; figures made up.
	stallSampling2023 = `=== Device #0 Metrics ===

                         IP[Address],Active[Events],ControlStall[Events],SbidStall[Events],
main::{lambda(auto:1)#4}!0x000000c0,        0,        1,       25,
main::{lambda(auto:1)#4}!0x000001b8,        0,        0,       74,
                 GEMM!0x000001b8,        5,        0,      174,
`
)
