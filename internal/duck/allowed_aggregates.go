package duck

import "strings"

// aggregateKind is on what an aggregate's result depends besides the bag of
// values that it is given.
type aggregateKind int

const (
	// aggregateRefused is an aggregate that is not listed.
	aggregateRefused aggregateKind = iota
	// aggregateOfBag depends on nothing else.
	aggregateOfBag
	// aggregateExact depends on nothing else where it adds integers, booleans or
	// DECIMALs; floats are rounded at each step, so their order tells.
	aggregateExact
	// aggregatePicks returns one of the values, or a mean of two neighbours in
	// their order. Values that are equal but not the same are told apart by order.
	aggregatePicks
	// aggregateOfSequence depends on the order of the values.
	aggregateOfSequence
	// aggregateRounds sums in DOUBLE whatever it is given.
	aggregateRounds
	// aggregateOfExtreme returns the first argument where the second is least or
	// greatest, and depends on order where that is so for several rows.
	aggregateOfExtreme
)

// allowedAggregates are the aggregates that jobs may call, by what they depend
// on. Not here, and so refused: mode and entropy (ties and sums in the order of
// a hash table), everything approximate, reservoir_quantile (random),
// bitstring_agg (reads statistics), histograms (not measured).
var allowedAggregates = map[aggregateKind]allowance{
	aggregateOfBag:      {"commutative and associative", "count count_star count_if countif bool_and bool_or bit_and bit_or bit_xor regr_count"},
	aggregateExact:      {"sums of exact numbers", "sum avg mean"},
	aggregatePicks:      {"by rank among the values", "min max median quantile quantile_disc quantile_cont mad"},
	aggregateOfSequence: {"sequences", "first last any_value arbitrary list array_agg string_agg group_concat listagg"},
	aggregateRounds: {"sums in DOUBLE", `favg fsum kahan_sum sumkahan product stddev stddev_pop stddev_samp variance var_pop var_samp
		sem skewness kurtosis kurtosis_pop corr covar_pop covar_samp regr_avgx regr_avgy regr_intercept regr_r2
		regr_slope regr_sxx regr_sxy regr_syy`},
	aggregateOfExtreme: {"the row of an extreme", `arg_max arg_min argmax argmin max_by min_by arg_max_null arg_min_null arg_max_nulls_last
		arg_min_nulls_last`},
}

var aggregateKinds = func() map[string]aggregateKind {
	kinds := map[string]aggregateKind{}
	for kind, a := range allowedAggregates {
		for _, name := range strings.Fields(a.names) {
			kinds[name] = kind
		}
	}
	return kinds
}()
