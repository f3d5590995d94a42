package storetest

import "strandline/internal/objstore"

// Finding is a folder in which something happens right after a file was found, before
// whoever asked for it can open it.
type Finding struct {
	*objstore.Folder
	After func(key string)
}

// Find implements objstore.Local.
func (f Finding) Find(key string) (string, error) {
	path, err := f.Folder.Find(key)
	if err == nil {
		f.After(key)
	}
	return path, err
}
