package kubernetes

import (
	"fmt"
	"strconv"
	"strings"
)

// processors is how many whole processors a pod of these resources is sure to have, at
// least 1: those that it requests, or its limit, which Kubernetes takes for a request where there
// is none. What is no number is 1: the cluster says what is wrong with it.
func processors(resources map[string]any) int {
	for _, part := range []string{"requests", "limits"} {
		if of, is := resources[part].(map[string]any); is && of["cpu"] != nil {
			return max(1, int(quantity(fmt.Sprint(of["cpu"]))))
		}
	}
	return 1
}

// quantity reads a number of processors as Kubernetes writes it: 2, 0.5 or 1500m. It is 0
// for anything else.
func quantity(text string) float64 {
	digits, thousandths := strings.CutSuffix(text, "m")
	n, err := strconv.ParseFloat(digits, 64)
	if err != nil || n > maxProcessors*1000 {
		return 0
	}
	if thousandths {
		n /= 1000
	}
	return min(n, maxProcessors)
}

// maxProcessors is more than a machine has.
const maxProcessors = 4096
