package duck

import "strings"

// allowance is why functions are allowed in jobs, and their folded names.
type allowance struct{ why, names string }

// allowedScalars are the functions of single rows that jobs may call. What is
// not here is refused, whatever the catalogue says of it: the engine marks
// current_setting(), getvariable() and age() of one argument as consistent.
// The setting TimeZone is UTC and locked, so functions of calendars are pure.
var allowedScalars = []allowance{
	{"arithmetic on exact numbers, and on floats by IEEE 754",
		`+ - * / // % ** ^ @ abs add subtract multiply divide mod fmod fdiv ceil ceiling floor round round_even
		roundbankers trunc sign factorial ! !__postfix gcd greatest_common_divisor lcm least_common_multiple
		even bit_count & | ~ << >> xor sqrt isnan isinf isfinite signbit nextafter`},
	{"of the C library, the same on machines of one kind",
		`acos acosh asin asinh atan atan2 atanh cbrt cos cosh cot degrees exp gamma lgamma ln log log10 log2 pi
		pow power radians sin sinh tan tanh`},
	{"choice among arguments",
		`coalesce greatest least nullif constant_or_null replace_type`},
	{"text",
		`|| concat concat_ws ascii bar bit_length char_length character_length chr contains damerau_levenshtein
		editdist3 ends_with format format_bytes formatreadabledecimalsize formatreadablesize hamming instr
		jaccard jaro_similarity jaro_winkler_similarity lcase left left_grapheme length length_grapheme
		levenshtein lower lpad ltrim mismatches nfc_normalize octet_length ord parse_formatted_bytes pg_size_pretty
		position prefix printf repeat replace reverse right right_grapheme rpad rtrim split split_part
		starts_with ^@ str_split string_split string_to_array strip_accents strlen strpos substr substring
		substring_grapheme suffix translate trim ucase unicode upper url_decode url_encode`},
	{"patterns",
		`~~ !~~ ~~* !~~* ~~~ like_escape ilike_escape not_like_escape not_ilike_escape regexp_escape regexp_extract
		regexp_extract_all regexp_full_match regexp_matches regexp_replace regexp_split_to_array
		str_split_regex string_split_regex`},
	{"digests, the same for one version of the engine, which is in the fingerprint",
		`hash md5 md5_number md5_number_lower md5_number_upper sha1 sha256`},
	{"encodings",
		`base64 bin from_base64 from_binary from_hex hex to_base to_base64 to_binary to_hex unbin unhex encode decode
		bit_position bitstring get_bit set_bit`},
	{"dates and times, in UTC unless a zone is given",
		`age century date_add date_diff date_part date_sub date_trunc datediff datepart datesub datetrunc day dayname dayofmonth
		dayofweek dayofyear days_in_month decade epoch epoch_ms epoch_ns epoch_us era hour isodow isoyear julian
		last_day make_date make_time make_timestamp make_timestamp_ms make_timestamp_ns make_timestamptz
		microsecond millennium millisecond minute month monthname nanosecond normalized_interval quarter second
		strftime strptime time_bucket timezone timezone_hour timezone_minute to_centuries to_days to_decades
		to_hours to_microseconds to_millennia to_milliseconds to_minutes to_months to_quarters to_seconds
		to_timestamp to_weeks to_years try_strptime week weekday weekofyear year yearweek`},
	{"lists and arrays, which are values with an order of their own",
		`array_append array_apply array_cat array_concat array_contains array_cosine_distance array_cosine_similarity
		array_cross_product array_distance array_distinct array_dot_product array_extract array_filter
		array_grade_up array_has array_has_all array_has_any array_indexof array_inner_product array_intersect
		array_length array_negative_dot_product array_negative_inner_product array_pop_back array_pop_front
		array_position array_prepend array_push_back array_push_front array_reduce array_resize array_reverse
		array_reverse_sort array_select array_slice array_sort array_to_string array_to_string_comma_default
		array_transform array_unique array_value array_where array_zip && @> <@ <-> <=> apply cardinality element_at filter flatten
		generate_series grade_up len list_append list_apply list_cat list_concat list_contains
		list_cosine_distance list_cosine_similarity list_distance list_distinct list_dot_product list_element
		list_extract list_filter list_grade_up list_has list_has_all list_has_any list_indexof
		list_inner_product list_intersect list_negative_dot_product list_negative_inner_product list_pack
		list_position list_prepend list_reduce list_resize list_reverse list_reverse_sort list_select list_slice
		list_sort list_transform list_unique list_value list_where list_zip range reduce unpivot_list
		equi_width_bins`},
	{"aggregates of a list, in its order: the aggregate must be allowed too",
		`aggregate array_aggr array_aggregate list_aggr list_aggregate list_any_value list_avg list_bit_and
		list_bit_or list_bit_xor list_bool_and list_bool_or list_count list_first list_kurtosis
		list_kurtosis_pop list_last list_mad list_max list_median list_min list_product list_sem list_skewness
		list_stddev_pop list_stddev_samp list_string_agg list_sum list_var_pop list_var_samp`},
	{"structs, maps and unions",
		`map map_concat map_contains map_contains_entry map_contains_value map_entries map_extract
		map_extract_value map_from_entries map_keys map_values row struct_concat struct_contains struct_extract
		struct_extract_at struct_has struct_indexof struct_insert struct_keys struct_pack struct_position
		struct_update struct_values union_extract union_tag union_value remap_struct`},
	{"JSON",
		`-> ->> array_to_json from_json from_json_strict json json_array json_array_length json_contains json_exists json_extract
		json_extract_path json_extract_path_text json_extract_string json_keys json_merge_patch json_object
		json_pretty json_quote json_structure json_transform json_transform_strict json_type json_valid
		json_value row_to_json to_json`},
	{"types and what is in a value's type",
		`typeof pg_typeof get_type enum_code enum_first enum_last enum_range enum_range_boundary
		uuid_extract_timestamp uuid_extract_version`},
	{"written as other allowed functions, which the plan shows",
		`weighted_avg wavg unnest regexp_split_to_table generate_subscripts`},
}

// allowedTableFunctions make rows of their arguments alone.
var allowedTableFunctions = []allowance{
	{"rows of their arguments", "range generate_series unnest json_each json_tree"},
}

// allowedWindows are the functions that need OVER, and whether they need an
// order without ties. Aggregates can stand before OVER too.
var allowedWindows = map[string]windowRule{
	"row_number": {total: true}, "ntile": {total: true}, "lag": {total: true}, "lead": {total: true},
	"first_value": {total: true}, "last_value": {total: true}, "nth_value": {total: true},
	"first": {total: true}, "last": {total: true},
	"rank": {}, "dense_rank": {}, "rank_dense": {}, "percent_rank": {}, "cume_dist": {},
}

type windowRule struct{ total bool }

var (
	scalarNames        = namesIn(allowedScalars)
	tableFunctionNames = namesIn(allowedTableFunctions)
)

func namesIn(allowances []allowance) map[string]bool {
	names := map[string]bool{}
	for _, a := range allowances {
		addFolded(names, strings.Fields(a.names)...)
	}
	return names
}
