package duck

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strconv"
)

// sandbox returns the settings that close the engine's sandbox, in the order
// in which they must be made: nothing can be set after the last.
func (o Options) sandbox(scratch string, threads int) ([]string, error) {
	memory := cmp.Or(o.MemoryLimit, "1GB")
	folders, err := o.folders(scratch)
	if err != nil {
		return nil, err
	}
	settings := []string{
		"SET GLOBAL memory_limit = " + Literal(memory),
		"SET GLOBAL threads = " + strconv.Itoa(threads),
		"SET GLOBAL temp_directory = " + Literal(spillDir(scratch)),
	}
	if o.MaxTemp != "" {
		settings = append(settings, "SET GLOBAL max_temp_directory_size = "+Literal(o.MaxTemp))
	}
	return append(settings,
		"SET GLOBAL TimeZone = 'UTC'",
		"SET GLOBAL autoinstall_known_extensions = false",
		"SET GLOBAL autoload_known_extensions = false",
		"SET GLOBAL allow_persistent_secrets = false",
		"SET GLOBAL allowed_directories = "+literals(folders),
		"SET GLOBAL enable_external_access = false",
		"SET GLOBAL lock_configuration = true",
	), nil
}

func spillDir(scratch string) string { return filepath.Join(scratch, "spill") }

// folders returns the readable folders as the engine compares them: absolute.
func (o Options) folders(scratch string) ([]string, error) {
	folders := []string{scratch}
	for _, folder := range o.Readable {
		abs, err := filepath.Abs(folder)
		if err != nil {
			return nil, fmt.Errorf("readable folder %s: %w", folder, err)
		}
		folders = append(folders, abs)
	}
	return folders, nil
}
