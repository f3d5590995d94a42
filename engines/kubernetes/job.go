package kubernetes

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"

	"strandline/engines"
	"strandline/plans"
)

// Labels and annotations of a Job and its pods. A label can't hold a whole id
// of a plan, so that is an annotation.
const (
	labelApp       = "app.kubernetes.io/name"
	labelJob       = "strandline/job"
	labelPlan      = "strandline/plan" // the first planDigits of the plan's id
	annotationPlan = "strandline/plan-id"
	annotationLake = "strandline/lake"
	annotationMade = "strandline/made-of" // a digest of what the pods' template has of the configuration
	// Of a Job that is made of the slices that were left, of how many that is, and which these are.
	annotationSlices = "strandline/slices"
	annotationLeft   = "strandline/left"

	planDigits = 32
)

const (
	configDir     = "/etc/strandline"
	configFile    = configDir + "/strandline.yaml"
	scratchDir    = "/tmp"
	containerName = "work"

	// grace is how many seconds a pod has to give up what it computes.
	grace = 60
)

// jobName is the name of the Job of a plan of a lake: a DNS label that leaves
// room for the number of a slice and what is added to a pod's name. Two lakes
// with the same plan are told apart.
func jobName(plan plans.ID, lake string) string {
	sum := sha256.Sum256([]byte(plan.String() + "\n" + lake))
	return "strandline-" + hex.EncodeToString(sum[:])[:planDigits]
}

// object is a part of what is sent, as Kubernetes names its fields.
type object = map[string]any

// job is the Job that runs the slices of a plan that are left, each as one of its indexes.
func (e *Engine) job(ref engines.Ref, o engines.Options) object {
	completions := ref.Slices
	annotations := object{annotationPlan: ref.Plan.String(), annotationLake: e.lake, annotationMade: e.madeOf(ref)}
	if left := leftOf(ref, o); left != "" {
		completions = len(o.Left)
		annotations[annotationSlices], annotations[annotationLeft] = strconv.Itoa(ref.Slices), left
	}
	spec := object{
		"completionMode":          "Indexed",
		"completions":             completions,
		"parallelism":             o.Parallel,
		"backoffLimitPerIndex":    e.config.Backoff,
		"podReplacementPolicy":    "Failed", // a slice is never worked at twice at a time
		"ttlSecondsAfterFinished": int(min(e.config.TTL.Seconds(), math.MaxInt32)),
		"podFailurePolicy":        object{"rules": failureRules},
		"template":                e.template(ref, o),
	}
	return object{
		"apiVersion": "batch/v1",
		"kind":       "Job",
		"metadata": object{
			"name": jobName(ref.Plan, e.lake), "namespace": e.namespace,
			"labels":      labels(ref.Plan),
			"annotations": annotations,
		},
		"spec": spec,
	}
}

// template is what pods are made of.
func (e *Engine) template(ref engines.Ref, o engines.Options) object {
	return object{"metadata": object{"labels": labels(ref.Plan)}, "spec": e.podSpec(ref, o)}
}

// madeOf is the digest of what pods have of the configuration, and so not of what is left.
func (e *Engine) madeOf(ref engines.Ref) string { return digestOf(e.template(ref, engines.Options{})) }

// digestOf tells one template from another. What is no JSON has none, and no cluster takes it.
func digestOf(template object) string {
	data, err := json.Marshal(template)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])[:planDigits]
}

func labels(plan plans.ID) object {
	return object{labelApp: "strandline", labelPlan: plan.String()[:planDigits]}
}

// failureRules say what an end of a worker means; the first that fits counts.
// Any other end is tried again, Backoff times.
var failureRules = []object{
	{"action": "FailJob", "onExitCodes": object{"operator": "In", "values": []engines.Ending{engines.Refused}}},
	{"action": "FailIndex", "onExitCodes": object{"operator": "In", "values": []engines.Ending{engines.SomeFailed}}},
	// A node that is drained, or whose pods make room for others, is not the slice's fault.
	{"action": "Ignore", "onPodConditions": []object{{"type": "DisruptionTarget", "status": "True"}}},
}

// podSpec has what the strictest standard for pods asks for. Workers need
// nothing of the cluster, so they get no token for it.
func (e *Engine) podSpec(ref engines.Ref, o engines.Options) object {
	pod := object{
		"restartPolicy":                 "Never",
		"automountServiceAccountToken":  false,
		"enableServiceLinks":            false,
		"terminationGracePeriodSeconds": grace,
		"securityContext":               object{"runAsNonRoot": true, "runAsUser": e.config.RunAsUser, "seccompProfile": object{"type": "RuntimeDefault"}},
		"volumes": []any{
			object{"name": "strandline-config", "configMap": object{"name": e.config.ConfigMap}},
			object{"name": "strandline-scratch", "emptyDir": object{}},
		},
	}
	if e.config.ServiceAccount != "" {
		pod["serviceAccountName"] = e.config.ServiceAccount
	}
	pod = merge(pod, e.config.Pod)
	pod["containers"] = []any{e.container(ref, o)}
	return pod
}

func (e *Engine) container(ref engines.Ref, o engines.Options) object {
	c := object{
		"name":                     containerName,
		"image":                    e.config.Image,
		"args":                     e.args(ref, o),
		"env":                      e.env(),
		"terminationMessagePolicy": "FallbackToLogsOnError", // so that Observe can say why
		"securityContext": object{
			"allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true,
			"capabilities": object{"drop": []any{"ALL"}},
		},
		"volumeMounts": []any{
			object{"name": "strandline-config", "mountPath": configDir, "readOnly": true},
			object{"name": "strandline-scratch", "mountPath": scratchDir},
		},
	}
	if e.config.ImagePullPolicy != "" {
		c["imagePullPolicy"] = e.config.ImagePullPolicy
	}
	if len(e.config.Command) > 0 {
		c["command"] = e.config.Command
	}
	if len(e.config.Resources) > 0 {
		c["resources"] = e.config.Resources
	}
	var secrets []any
	for _, name := range e.config.Secrets {
		secrets = append(secrets, object{"secretRef": object{"name": name}})
	}
	if secrets != nil {
		c["envFrom"] = secrets
	}
	return merge(c, e.config.Container)
}

// args run one slice, as many partitions at a time as the pod has processors: the Job tells
// each pod which slice, by JOB_COMPLETION_INDEX. Failures are counted by the pods, in the table: a Job
// would count those from before too.
func (e *Engine) args(ref engines.Ref, o engines.Options) []string {
	args := []string{"work", ref.Plan.String(), "--slices", strconv.Itoa(ref.Slices), "--parallel", strconv.Itoa(processors(e.config.Resources)), "--config", configFile}
	if left := leftOf(ref, o); left != "" {
		args = append(args, "--left", left)
	}
	if o.MaxFailures > 0 {
		args = append(args, "--max-failures", strconv.Itoa(o.MaxFailures), "--failed-before", strconv.Itoa(o.Before))
	}
	return args
}

func (e *Engine) env() []any {
	env := []any{object{"name": "TMPDIR", "value": scratchDir}}
	for _, name := range slices.Sorted(maps.Keys(e.config.Env)) {
		env = append(env, object{"name": name, "value": e.config.Env[name]})
	}
	return env
}

// merge returns ours with theirs added: maps are merged, lists joined, and of
// anything else theirs counts.
func merge(ours, theirs object) object {
	out := maps.Clone(ours)
	for key, their := range theirs {
		our, both := out[key]
		switch {
		case !both:
			out[key] = their
		default:
			out[key] = mergeValue(our, their)
		}
	}
	return out
}

func mergeValue(our, their any) any {
	switch our := our.(type) {
	case object:
		if their, ok := their.(object); ok {
			return merge(our, their)
		}
	case []any:
		if their, ok := their.([]any); ok {
			return append(slices.Clone(our), their...)
		}
	}
	return their
}
