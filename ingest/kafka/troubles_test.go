package kafka

import (
	"errors"
	"fmt"
	"slices"
	"testing"
)

func TestTheSameTroubleIsToldOnceUntilItIsOver(t *testing.T) {
	var told []string
	tr := &troubles{opts: Options{
		Trouble: func(err error) { told = append(told, err.Error()) },
		Over:    func() { told = append(told, "over") },
	}}
	silent := func(tried string) error { return fmt.Errorf("%w (%s)", ErrNoAnswer, tried) }
	full := func(drawn string) error {
		return fmt.Errorf("write /tmp/strandline-%s/landing/intake-%s: no space left on device", drawn, drawn)
	}
	tr.over()
	for _, err := range []error{silent("dial"), silent("read"), errors.New("other"), errors.New("other"), silent("dial"), full("ABCDEFGHJKLM2"), full("ABCDEFGHJKLM3")} {
		tr.tell(err)
	}
	tr.over()
	tr.over()
	tr.tell(silent("dial"))
	want := []string{"no broker answered (dial)", "other", "no broker answered (dial)", full("ABCDEFGHJKLM2").Error(), "over", "no broker answered (dial)"}
	if !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
}
