; Handler of an XLA custom call: reads the call frame, and calls a batch kernel once. Offsets in the frame, its
; arguments and results, and a buffer are those of XLA's C interface for custom calls (xla/ffi/api/c_api.h).

@batch = global ptr null

define ptr @handle(ptr %frame) nounwind {
entry:
  %pointers = alloca [@PORTS@ x ptr], align 16
  %extension_at = getelementptr i8, ptr %frame, i64 8
  %extension = load ptr, ptr %extension_at
  %is_query = icmp ne ptr %extension, null
  br i1 %is_query, label %query, label %call

; XLA asks for the interface version: answer with XLA's own.
query:
  %type_at = getelementptr i8, ptr %extension, i64 8
  %type = load i32, ptr %type_at
  %is_metadata = icmp eq i32 %type, 1
  br i1 %is_metadata, label %answer, label %call
answer:
  %api_at = getelementptr i8, ptr %frame, i64 16
  %api = load ptr, ptr %api_at
  %own_version_at = getelementptr i8, ptr %api, i64 32
  %own_version = load i64, ptr %own_version_at
  %metadata_at = getelementptr i8, ptr %extension, i64 24
  %metadata = load ptr, ptr %metadata_at
  %version_at = getelementptr i8, ptr %metadata, i64 24
  store i64 %own_version, ptr %version_at
  %traits_at = getelementptr i8, ptr %metadata, i64 32
  store i32 0, ptr %traits_at
  ret ptr null

; The addresses of all arrays, and the number of states: the product of the axes in front of a port's own.
call:
  %inputs_at = getelementptr i8, ptr %frame, i64 72
  %inputs = load ptr, ptr %inputs_at
  %outputs_at = getelementptr i8, ptr %frame, i64 112
  %outputs = load ptr, ptr %outputs_at
  br label %port
port:
  %k = phi i64 [ 0, %call ], [ %k_next, %port ]
  %is_input = icmp ult i64 %k, @INPUTS@
  %place = sub i64 %k, @INPUTS@
  %input_at = getelementptr ptr, ptr %inputs, i64 %k
  %output_at = getelementptr ptr, ptr %outputs, i64 %place
  %buffer_at = select i1 %is_input, ptr %input_at, ptr %output_at
  %buffer = load ptr, ptr %buffer_at
  %data_at = getelementptr i8, ptr %buffer, i64 24
  %data = load ptr, ptr %data_at
  %pointer_at = getelementptr ptr, ptr %pointers, i64 %k
  store ptr %data, ptr %pointer_at
  %k_next = add i64 %k, 1
  %done = icmp eq i64 %k_next, @PORTS@
  br i1 %done, label %count, label %port
count:
  %rank_at = getelementptr i8, ptr %buffer, i64 32
  %rank = load i64, ptr %rank_at
  %axes = sub i64 %rank, @LAST_AXES@
  %dims_at = getelementptr i8, ptr %buffer, i64 40
  %dims = load ptr, ptr %dims_at
  br label %axis
axis:
  %d = phi i64 [ 0, %count ], [ %d_next, %length ]
  %states = phi i64 [ 1, %count ], [ %states_next, %length ]
  %counted = icmp eq i64 %d, %axes
  br i1 %counted, label %run, label %length
length:
  %length_at = getelementptr i64, ptr %dims, i64 %d
  %length_value = load i64, ptr %length_at
  %states_next = mul i64 %states, %length_value
  %d_next = add i64 %d, 1
  br label %axis
run:
  %kernel = load ptr, ptr @batch
  %results = getelementptr ptr, ptr %pointers, i64 @INPUTS@
  call void %kernel(i64 %states, ptr %pointers, ptr %results)
  ret ptr null
}
