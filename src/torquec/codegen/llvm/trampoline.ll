
; The number of rows of a batch, -1 for one state, -2 for an array that does not fit the port or has another dtype.
define internal i64 @rows_of(ptr %array, ptr %port, ptr %wanted) {
entry:
  %type_at = getelementptr i8, ptr %array, i64 8
  %type = load ptr, ptr %type_at
  %ndarray_type = load ptr, ptr @ndarray_type
  %is_array = icmp eq ptr %type, %ndarray_type
  br i1 %is_array, label %array_found, label %unfit
array_found:
  %dtype_at = getelementptr i8, ptr %array, i64 56
  %dtype = load ptr, ptr %dtype_at
  %is_wanted = icmp eq ptr %dtype, %wanted
  %flags_at = getelementptr i8, ptr %array, i64 64
  %flags = load i32, ptr %flags_at
  %layout = and i32 %flags, 257            ; C-contiguous and aligned
  %is_plain = icmp eq i32 %layout, 257
  %usable = and i1 %is_wanted, %is_plain
  %nd_at = getelementptr i8, ptr %array, i64 24
  %nd32 = load i32, ptr %nd_at
  %nd = sext i32 %nd32 to i64
  %axes = load i64, ptr %port
  %lead = sub i64 %nd, %axes
  %is_shaped = icmp ule i64 %lead, 1
  %fits = and i1 %usable, %is_shaped
  br i1 %fits, label %lengths, label %unfit
lengths:
  %dims_at = getelementptr i8, ptr %array, i64 32
  %all_dims = load ptr, ptr %dims_at
  %dims = getelementptr i64, ptr %all_dims, i64 %lead
  %shape = getelementptr i64, ptr %port, i64 2
  br label %axis
axis:
  %d = phi i64 [ 0, %lengths ], [ %d_next, %length ]
  %all_seen = icmp eq i64 %d, %axes
  br i1 %all_seen, label %fit, label %length
length:
  %have_at = getelementptr i64, ptr %dims, i64 %d
  %want_at = getelementptr i64, ptr %shape, i64 %d
  %have = load i64, ptr %have_at
  %want = load i64, ptr %want_at
  %d_next = add i64 %d, 1
  %same = icmp eq i64 %have, %want
  br i1 %same, label %axis, label %unfit
fit:
  %single = icmp eq i64 %lead, 0
  br i1 %single, label %one, label %batch
one:
  ret i64 -1
batch:
  %rows = load i64, ptr %all_dims
  ret i64 %rows
unfit:
  ret i64 -2
}


define ptr @call(ptr %self, ptr %args, i64 %nargs, ptr %kwnames) {
entry:
  %pointers = alloca [@MOST_PORTS@ x ptr], align 16
  %lengths = alloca [@MOST_LENGTHS@ x i64], align 16
  %out_slot = alloca ptr
  %record_at = getelementptr i8, ptr %self, i64 16
  %record = load ptr, ptr %record_at
  %n_in = load i64, ptr %record
  %n_out_at = getelementptr i64, ptr %record, i64 1
  %n_out = load i64, ptr %n_out_at
  %ports = getelementptr i64, ptr %record, i64 @HEADER_WORDS@
  %out_ports = getelementptr [@PORT_WORDS@ x i64], ptr %ports, i64 %n_in
  %out_pointers = getelementptr ptr, ptr %pointers, i64 %n_in
  %all_given = icmp eq i64 %nargs, %n_in
  br i1 %all_given, label %keywords, label %slow
keywords:
  %no_keywords = icmp eq ptr %kwnames, null
  br i1 %no_keywords, label %inputs, label %keyword
keyword:
  %n_keywords_at = getelementptr i8, ptr %kwnames, i64 16
  %n_keywords = load i64, ptr %n_keywords_at
  %one_keyword = icmp eq i64 %n_keywords, 1
  br i1 %one_keyword, label %keyword_name, label %slow
keyword_name:
  %name_at = getelementptr i8, ptr %kwnames, i64 @TUPLE_ITEMS@
  %name = load ptr, ptr %name_at
  %out_name = load ptr, ptr @out_name
  %is_out = icmp eq ptr %name, %out_name
  br i1 %is_out, label %keyword_value, label %slow
keyword_value:
  %value_at = getelementptr ptr, ptr %args, i64 %n_in
  %value = load ptr, ptr %value_at
  %none = load ptr, ptr @none
  %is_none = icmp eq ptr %value, %none
  %given_or_null = select i1 %is_none, ptr null, ptr %value
  br label %inputs

; Floats where there is a kernel for floats and the first input is an array of floats, else doubles.
inputs:
  %out = phi ptr [ null, %keywords ], [ %given_or_null, %keyword_value ]
  %float64 = load ptr, ptr @float64
  %single_at = getelementptr i64, ptr %record, i64 @SINGLE_WORD@
  %single_kernel = load ptr, ptr %single_at
  %has_single = icmp ne ptr %single_kernel, null   ; then there is an input
  br i1 %has_single, label %first_type, label %ready
first_type:
  %first_arg = load ptr, ptr %args
  %first_type_at = getelementptr i8, ptr %first_arg, i64 8
  %first_type_is = load ptr, ptr %first_type_at
  %array_type = load ptr, ptr @ndarray_type
  %first_is_array = icmp eq ptr %first_type_is, %array_type
  br i1 %first_is_array, label %first_dtype, label %slow
first_dtype:
  %first_dtype_at = getelementptr i8, ptr %first_arg, i64 56
  %first_dtype_is = load ptr, ptr %first_dtype_at
  %float32 = load ptr, ptr @float32
  %has_floats = icmp eq ptr %first_dtype_is, %float32
  %first_wanted = select i1 %has_floats, ptr %float32, ptr %float64
  br label %ready
ready:
  %floats = phi i1 [ false, %inputs ], [ %has_floats, %first_dtype ]
  %wanted = phi ptr [ %float64, %inputs ], [ %first_wanted, %first_dtype ]
  %number_bytes = select i1 %floats, i64 4, i64 8
  br label %input

; Check that every input fits its port, and that all have the same number of rows.
input:
  %i = phi i64 [ 0, %ready ], [ %i_next, %input_same ]
  %N = phi i64 [ -1, %ready ], [ %rows, %input_same ]
  %inputs_done = icmp eq i64 %i, %n_in
  br i1 %inputs_done, label %route, label %input_next
input_next:
  %arg_at = getelementptr ptr, ptr %args, i64 %i
  %arg = load ptr, ptr %arg_at
  %port = getelementptr [@PORT_WORDS@ x i64], ptr %ports, i64 %i
  %rows = call i64 @rows_of(ptr %arg, ptr %port, ptr %wanted)
  %unfit = icmp eq i64 %rows, -2
  br i1 %unfit, label %slow, label %input_fit
input_fit:
  %first = icmp eq i64 %i, 0
  %agree = icmp eq i64 %rows, %N
  %accept = or i1 %first, %agree
  br i1 %accept, label %input_same, label %slow
input_same:
  %data_at = getelementptr i8, ptr %arg, i64 16
  %data = load ptr, ptr %data_at
  %pointer_at = getelementptr ptr, ptr %pointers, i64 %i
  store ptr %data, ptr %pointer_at
  %i_next = add i64 %i, 1
  br label %input
route:
  %is_single = icmp eq i64 %N, -1
  %batch_at = getelementptr i64, ptr %record, i64 @BATCH_WORD@
  %double_batch = load ptr, ptr %batch_at
  %batch = select i1 %floats, ptr %single_kernel, ptr %double_batch
  %has_batch = icmp ne ptr %batch, null
  %one_of_doubles = xor i1 %floats, true           ; Python handles one state of floats
  %can_run = select i1 %is_single, i1 %one_of_doubles, i1 %has_batch
  br i1 %can_run, label %outputs, label %slow
outputs:
  %one_out = icmp eq i64 %n_out, 1
  %create = icmp eq ptr %out, null
  br i1 %create, label %new, label %given

; Check the given outputs: they fit, can be written, and overlap neither an input nor each other.
given:
  store ptr %out, ptr %out_slot
  br i1 %one_out, label %given_items, label %given_tuple
given_tuple:
  %out_type_at = getelementptr i8, ptr %out, i64 8
  %out_type = load ptr, ptr %out_type_at
  %tuple_type = load ptr, ptr @tuple_type
  %is_tuple = icmp eq ptr %out_type, %tuple_type
  br i1 %is_tuple, label %given_count, label %slow
given_count:
  %count_at = getelementptr i8, ptr %out, i64 16
  %count = load i64, ptr %count_at
  %tuple_items = getelementptr i8, ptr %out, i64 @TUPLE_ITEMS@
  %count_fits = icmp eq i64 %count, %n_out
  br i1 %count_fits, label %given_items, label %slow
given_items:
  %items = phi ptr [ %out_slot, %given ], [ %tuple_items, %given_count ]
  %factor = select i1 %is_single, i64 1, i64 %N
  br label %given_item
given_item:
  %g = phi i64 [ 0, %given_items ], [ %g_next, %apart ]
  %given_done = icmp eq i64 %g, %n_out
  br i1 %given_done, label %run, label %given_next
given_next:
  %item_at = getelementptr ptr, ptr %items, i64 %g
  %item = load ptr, ptr %item_at
  %item_port = getelementptr [@PORT_WORDS@ x i64], ptr %out_ports, i64 %g
  %item_rows = call i64 @rows_of(ptr %item, ptr %item_port, ptr %wanted)
  %item_fits = icmp eq i64 %item_rows, %N
  br i1 %item_fits, label %given_flags, label %slow
given_flags:
  %item_flags_at = getelementptr i8, ptr %item, i64 64
  %item_flags = load i32, ptr %item_flags_at
  %writeable_bit = and i32 %item_flags, 1024
  %writeable = icmp ne i32 %writeable_bit, 0
  br i1 %writeable, label %given_data, label %slow
given_data:
  %item_data_at = getelementptr i8, ptr %item, i64 16
  %item_data = load ptr, ptr %item_data_at
  %item_index = add i64 %n_in, %g
  %item_pointer_at = getelementptr ptr, ptr %pointers, i64 %item_index
  store ptr %item_data, ptr %item_pointer_at
  %item_end = call ptr @end_of(ptr %item_data, ptr %item_port, i64 %factor, i64 %number_bytes)
  br label %other
other:
  %o = phi i64 [ 0, %given_data ], [ %o_next, %other_apart ]
  %others_done = icmp eq i64 %o, %item_index
  br i1 %others_done, label %apart, label %other_next
other_next:
  %other_at = getelementptr ptr, ptr %pointers, i64 %o
  %other_data = load ptr, ptr %other_at
  %other_port = getelementptr [@PORT_WORDS@ x i64], ptr %ports, i64 %o
  %other_end = call ptr @end_of(ptr %other_data, ptr %other_port, i64 %factor, i64 %number_bytes)
  %before = icmp ult ptr %item_data, %other_end
  %after = icmp ult ptr %other_data, %item_end
  %overlap = and i1 %before, %after
  br i1 %overlap, label %slow, label %other_apart
other_apart:
  %o_next = add i64 %o, 1
  br label %other
apart:
  %g_next = add i64 %g, 1
  br label %given_item

; Make new outputs: one array, or a tuple of arrays.
new:
  store i64 %N, ptr %lengths
  %is_batch = xor i1 %is_single, true
  %lead = zext i1 %is_batch to i64
  br i1 %one_out, label %new_arrays, label %new_tuple
new_tuple:
  %new_tuple_function = load ptr, ptr @new_tuple
  %tuple = call ptr %new_tuple_function(i64 %n_out)
  %no_tuple = icmp eq ptr %tuple, null
  br i1 %no_tuple, label %failed, label %new_arrays
new_arrays:
  %holder = phi ptr [ null, %new ], [ %tuple, %new_tuple ]
  %ndarray_type = load ptr, ptr @ndarray_type
  %new_array_function = load ptr, ptr @new_array
  br label %new_array
new_array:
  %k = phi i64 [ 0, %new_arrays ], [ %k_next, %new_kept ]
  %result = phi ptr [ %holder, %new_arrays ], [ %kept, %new_kept ]
  %new_done = icmp eq i64 %k, %n_out
  br i1 %new_done, label %run, label %new_next
new_next:
  %new_port = getelementptr [@PORT_WORDS@ x i64], ptr %out_ports, i64 %k
  %axes = load i64, ptr %new_port
  %shape = getelementptr i64, ptr %new_port, i64 2
  br i1 %is_single, label %new_make, label %new_batch
new_batch:
  %tail = getelementptr i64, ptr %lengths, i64 1
  call void @llvm.memcpy.p0.p0.i64(ptr %tail, ptr %shape, i64 @SHAPE_BYTES@, i1 false)
  br label %new_make
new_make:
  %dims = phi ptr [ %shape, %new_next ], [ %lengths, %new_batch ]
  %nd = add i64 %axes, %lead
  %nd32 = trunc i64 %nd to i32
  %number_type = select i1 %floats, i32 11, i32 12  ; NumPy's type numbers of float and double
  %array = call ptr %new_array_function(
    ptr %ndarray_type, i32 %nd32, ptr %dims, i32 %number_type, ptr null, ptr null, i32 0, i32 0, ptr null)
  %no_array = icmp eq ptr %array, null
  br i1 %no_array, label %new_failed, label %new_made
new_made:
  %array_data_at = getelementptr i8, ptr %array, i64 16
  %array_data = load ptr, ptr %array_data_at
  %array_pointer_at = getelementptr ptr, ptr %out_pointers, i64 %k
  store ptr %array_data, ptr %array_pointer_at
  br i1 %one_out, label %new_kept, label %new_item
new_item:
  %set_item = load ptr, ptr @set_item
  %ignored = call i32 %set_item(ptr %result, i64 %k, ptr %array)
  br label %new_kept
new_kept:
  %kept = phi ptr [ %array, %new_made ], [ %result, %new_item ]
  %k_next = add i64 %k, 1
  br label %new_array
new_failed:
  %nothing_held = icmp eq ptr %holder, null
  br i1 %nothing_held, label %failed, label %drop
drop:
  %decref = load ptr, ptr @decref
  call void %decref(ptr %holder)
  br label %failed
failed:
  ret ptr null

run:
  %answer = phi ptr [ %out, %given_item ], [ %result, %new_array ]
  br i1 %is_single, label %run_single, label %run_batch
run_single:
  %kernel_at = getelementptr i64, ptr %record, i64 2
  %kernel = load ptr, ptr %kernel_at
  call void %kernel(ptr %pointers, ptr %out_pointers)
  br label %finish
run_batch:
  %save_thread = load ptr, ptr @save_thread
  %state = call ptr %save_thread()
  call void %batch(i64 %N, ptr %pointers, ptr %out_pointers)
  %restore_thread = load ptr, ptr @restore_thread
  call void %restore_thread(ptr %state)
  br label %finish
finish:
  br i1 %create, label %return, label %share
share:
  %incref = load ptr, ptr @incref
  call void %incref(ptr %answer)
  br label %return
return:
  ret ptr %answer

slow:
  %slow_at = getelementptr i64, ptr %record, i64 4
  %slow_function = load ptr, ptr %slow_at
  %vectorcall = load ptr, ptr @vectorcall
  %slow_answer = call ptr %vectorcall(ptr %slow_function, ptr %args, i64 %nargs, ptr %kwnames)
  ret ptr %slow_answer
}

; The end address of a port's data, for a number of rows.
define internal ptr @end_of(ptr %data, ptr %port, i64 %rows, i64 %number_bytes) {
  %size_at = getelementptr i64, ptr %port, i64 1
  %size = load i64, ptr %size_at
  %elements = mul i64 %size, %rows
  %bytes = mul i64 %elements, %number_bytes
  %end = getelementptr i8, ptr %data, i64 %bytes
  ret ptr %end
}

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)


; Free the memory of a capsule; its context is the word after its pointer and its name.
define void @release(ptr %capsule) {
  %owned_at = getelementptr i8, ptr %capsule, i64 32
  %owned = load ptr, ptr %owned_at
  %decref = load ptr, ptr @decref
  tail call void %decref(ptr %owned)
  ret void
}
