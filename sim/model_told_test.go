package sim

import (
	"errors"
	"fmt"
	"time"

	"strandline/internal/log"
	"strandline/landing"
	"strandline/manifests"
	"strandline/runner"
)

// toldLanded looks at what a user was told of an arrival whose landing began
// at a time.
func (m *model) toldLanded(c *content, begun time.Time, told landing.Result, err error) error {
	a := m.arrivalOf(c.identity)
	mine := a != nil && a.landedAt.Equal(begun)
	switch {
	case errors.Is(err, log.ErrUnknown):
		return nil
	case err != nil && mine:
		return fmt.Errorf("an arrival landed though its user was told that it had not: %s: %w", c.name, err)
	case err != nil:
		m.refused[begun] = true
		return nil
	case a == nil:
		return fmt.Errorf("what was acknowledged is lost: %s", c.name)
	case told.Duplicate == mine:
		return fmt.Errorf("a user was told wrong: %s is a duplicate: %v", c.name, told.Duplicate)
	case (!told.Duplicate || c.posted) && (told.From != a.from || told.To != a.to):
		return fmt.Errorf("a user was told wrong: %s is at [%d, %d), not [%d, %d)", c.name, a.from, a.to, told.From, told.To)
	}
	return nil
}

// toldOutcome looks at what a driver told of a partition.
func (m *model) toldOutcome(o runner.Outcome) error {
	name := o.Partition.String()
	switch {
	case o.Err != nil:
		return fmt.Errorf("a partition failed that is computed without fault: %s: %w", name, o.Err)
	case o.Verdict == manifests.Swap && !m.edit(o.Version, func(e manifests.Edit) []manifests.Receipt { return e.Receipts }, o.Receipt):
		return fmt.Errorf("what was acknowledged is lost: %s in version %d", name, o.Version)
	case o.Verdict == manifests.Held && !m.edit(o.Version, candidates, o.Receipt):
		return fmt.Errorf("what was acknowledged is lost: %s held in version %d", name, o.Version)
	case (o.Verdict == manifests.Unchanged || o.Verdict == manifests.Already) && !m.everPublished(o.Receipt):
		return fmt.Errorf("a user was told wrong: %s was never published so", name)
	}
	return nil
}

func candidates(e manifests.Edit) (all []manifests.Receipt) {
	for _, c := range e.Held {
		all = append(all, c.Receipt)
	}
	return all
}

// edit tells whether the edit of a version has a receipt.
func (m *model) edit(v manifests.Version, of func(manifests.Edit) []manifests.Receipt, want manifests.Receipt) bool {
	if v < 1 || int(v) > len(m.versions) {
		return false
	}
	for _, r := range of(m.versions[v-1].edit) {
		if r.Partition == want.Partition && r.SameInput(want) && r.SameOutput(want) {
			return true
		}
	}
	return false
}

func (m *model) everPublished(want manifests.Receipt) bool {
	for _, v := range m.versions {
		if r, ok := v.table[want.Partition]; ok && r.SameInput(want) && r.SameOutput(want) {
			return true
		}
	}
	return false
}

// toldEdited looks at what a person was told of an edit.
func (m *model) toldEdited(v manifests.Version) error {
	if int(v) > len(m.versions) || m.versions[v-1].edit.Driver != manifests.DriverPerson {
		return fmt.Errorf("what was acknowledged is lost: the edit of version %d", v)
	}
	return nil
}
