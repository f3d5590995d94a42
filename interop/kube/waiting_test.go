package kube

import (
	"strings"
	"testing"
)

// Who may not look is told by the pods: by their state, or by an event. Once what they wait for is
// there, they run.
func TestWhatPodsWaitForIsTold(t *testing.T) {
	for _, c := range []struct{ name, config, want, mend string }{
		{"secret", "secrets: keys", "CreateContainerConfigError: secrets \"keys\" not found", `{apiVersion: v1, kind: Secret, metadata: {name: keys, namespace: NAMESPACE}}`},
		{"configuration", "config_map: other", "FailedMount: MountVolume.SetUp failed for volume \"strandline-config\"", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, worldOptions{hours: 2, kubernetes: "\n  " + c.config})
			w.cluster.apply(t, strings.ReplaceAll(blindRole, "NAMESPACE", w.namespace))
			w.asAccount("blind")
			id := w.submitted("--slices", "2")
			w.shows(id, "kubernetes says: ", c.want)
			if c.mend == "" {
				w.must(0, "backfill", "cancel", id)
				return
			}
			w.cluster.apply(t, strings.ReplaceAll(c.mend, "NAMESPACE", w.namespace))
			w.shows(id, "hourly  done, 2 of 2 partitions done")
		})
	}
}

// blindRole is of an account that may submit, and look at no more than pods and events.
const blindRole = `{apiVersion: v1, kind: ServiceAccount, metadata: {name: blind, namespace: NAMESPACE}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: blind, namespace: NAMESPACE}
rules:
  - {apiGroups: [batch], resources: [jobs], verbs: [create, get, patch, delete]}
  - {apiGroups: [""], resources: [pods, events], verbs: [list]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: blind, namespace: NAMESPACE}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: blind}
subjects: [{kind: ServiceAccount, name: blind, namespace: NAMESPACE}]
`

// Submitted again with a mended configuration, a Job that nothing came of is replaced.
func TestAMendedConfigurationReplacesAJobThatWaits(t *testing.T) {
	w := newWorld(t, worldOptions{hours: 2, kubernetes: "\n  secrets: wrong"})
	wrong := `{apiVersion: v1, kind: Secret, metadata: {name: wrong, namespace: ` + w.namespace + `}}`
	admin := w.env
	w.asBlind()
	id := w.submitted("--slices", "2")
	w.shows(id, `"wrong" not found`)
	w.env = admin
	w.cluster.apply(t, strings.ReplaceAll(wrong, "name: wrong", "name: right"))
	w.edit("secrets: wrong", "secrets: right")
	said := w.must(0, on("--slices", "2")...)
	if !strings.Contains(said, "strandline backfill cancel "+id[:12]+", and submit again") {
		t.Errorf("how to get a new Job is not said:\n%s", said)
	}
	w.publishedOnce(0)
}
