package main

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"strandline/internal/config"
)

// flagError says what is wrong with a flag as the rest of the program does.
func flagError(cmd *cobra.Command, err error) error {
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok && unknown.GetSpecifiedShortnames() == "" {
		return nearestFlag(cmd, unknown)
	}
	if bad, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return badValue(bad)
	}
	return err
}

// nearestFlag adds the nearest flag to the error of an unknown one.
func nearestFlag(cmd *cobra.Command, unknown *pflag.NotExistError) error {
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
	return fmt.Errorf("%w%s", unknown, config.DidYouMean("--"+unknown.GetSpecifiedName(), names))
}

// wantedOf is what a flag of a type takes, where the words of the error are Go's.
var wantedOf = map[string]string{"int": "a whole number", "int64": "a whole number", "uint64": "a whole number, 0 or more", "bool": "true or false, or the flag alone"}

// badValue is the error of a value that its flag does not take.
func badValue(bad *pflag.InvalidValueError) error {
	flag, value := bad.GetFlag(), bad.GetValue()
	want, known := wantedOf[flag.Value.Type()]
	switch {
	case !known:
		return fmt.Errorf("--%s: %w", flag.Name, errors.Unwrap(bad))
	case errors.Is(bad, strconv.ErrRange):
		return fmt.Errorf("--%s %q: the number is out of range", flag.Name, value)
	}
	return fmt.Errorf("--%s %q: want %s", flag.Name, value, want)
}
