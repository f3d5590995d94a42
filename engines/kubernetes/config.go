package kubernetes

import "time"

// Config says how the slices of a plan run in a cluster: what a Job of theirs has.
type Config struct {
	Context   string `json:",omitempty"` // of the kubeconfig; empty: its current one
	Namespace string // empty: the context's, or the pod's own
	Image     string // with the strandline program
	// ImagePullPolicy is Always, IfNotPresent or Never; empty: as Kubernetes has it,
	// which is Always of the tag latest and of none.
	ImagePullPolicy string `json:",omitempty"`
	// RunAsUser is the number of the user that the program runs as, not 0: nodes refuse an
	// image whose user has a name alone, since that may be root.
	RunAsUser int64
	// Command starts the program in the image; empty: the image's entrypoint.
	Command []string `json:",omitempty"`
	// ConfigMap has a strandline.yaml, and what it refers to, for the pods.
	ConfigMap      string
	ServiceAccount string            `json:",omitempty"`
	Env            map[string]string `json:",omitempty"`
	Secrets        []string          `json:",omitempty"` // whose keys are environment variables of the pods
	Resources      map[string]any    `json:",omitempty"` // as Kubernetes writes them
	Slices         int               `json:",omitempty"` // that a plan is cut into; 0: as plans do
	// Backoff is how often a slice is tried again whose worker failed for a reason
	// that may pass, or was killed.
	Backoff int
	TTL     time.Duration // how long a finished Job stays to be looked at
	// Pod and Container are further fields of the pods and their container, as
	// Kubernetes writes them: maps are merged with ours, lists are added to ours.
	Pod       map[string]any `json:",omitempty"`
	Container map[string]any `json:",omitempty"`
}

// The defaults of what a configuration need not say.
const (
	DefaultConfigMap = "strandline"
	DefaultRunAsUser = 65532 // as the Dockerfile has it
	DefaultBackoff   = 3
	DefaultTTL       = 24 * time.Hour
)

// MinTTL is the least that a finished Job is to stay: a few times as long as it takes until
// some process looks after it, and learns why it failed.
const MinTTL = 5 * time.Minute
