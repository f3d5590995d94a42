package requests

import "fmt"

// Place is where another engine works a request, as it was given to it.
type Place struct {
	Namespace string `json:"namespace"`
	Server    string `json:"server"`       // its address as who gave it had it, for people
	ID        string `json:"id,omitempty"` // of the namespace, and of no other anywhere; "" where it was not known
}

func (p Place) String() string {
	text := fmt.Sprintf("namespace %s of the cluster at %s", p.Namespace, p.Server)
	if p.ID != "" {
		text += " (uid " + p.ID + ")"
	}
	return text
}

// Elsewhere tells that two places are not the same. Where the ID of one is not known the name of the
// namespace decides.
func (p Place) Elsewhere(other Place) bool {
	return p.Namespace != other.Namespace || p.ID != "" && other.ID != "" && p.ID != other.ID
}
