package nexmark

import (
	"fmt"
	"time"
)

// Numbers of persons and auctions begin here.
const firstID = 1000

var (
	firstNames = []string{"Ada", "Bo", "Chidi", "Dana", "Émile", "Fatma", "Goran", "Hana"}
	lastNames  = []string{"Abbott", "Bauer", "Castro", "Dufour", "Eriksen", "Fontaine", "Groß"}
	places     = []struct{ city, state string }{
		{"Phoenix", "AZ"}, {"Los Angeles", "CA"}, {"San Francisco", "CA"}, {"Boise", "ID"}, {"Portland", "OR"},
		{"Bend", "OR"}, {"Redmond", "WA"}, {"Seattle", "WA"}, {"Kent", "WA"}, {"Cheyenne", "WY"},
	}
	items    = []string{"clock", "chair", "map", "lens", "kettle", "globe"}
	channels = []string{"Apple", "Google", "Facebook", "Baidu"}
)

// categories are numbered from 10.
const categories = 5

func pick[T any](m *maker, from []T) T { return from[m.random.IntN(len(from))] }

func stamp(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z") }

func (m *maker) person(at time.Time) []byte {
	first, last, place := pick(m, firstNames), pick(m, lastNames), pick(m, places)
	return fmt.Appendf(nil, `{"id":%d,"name":"%s %s","email":"%c%d@example.org","card":"%04d %04d","city":"%s","state":"%s","date_time":"%s"}`+"\n",
		firstID+m.persons-1, first, last, 'a'+rune(m.random.IntN(26)), m.persons, m.random.IntN(10000), m.random.IntN(10000), place.city, place.state, stamp(at))
}

// auction is open for 10 seconds to 2 hours.
func (m *maker) auction(at time.Time) []byte {
	first := m.price()
	open := 10*time.Second + time.Duration(m.random.Int64N(int64(2*time.Hour-10*time.Second)))
	return fmt.Appendf(nil, `{"id":%d,"item":"%s","initial_bid":%d,"reserve":%d,"date_time":"%s","expires":"%s","seller":%d,"category":%d}`+"\n",
		firstID+m.auctions-1, pick(m, items), first, first+m.price(), stamp(at), stamp(at.Add(open)), firstID+m.recent(m.persons, 50, 4), 10+m.random.IntN(categories))
}

func (m *maker) bid(at time.Time) []byte {
	channel, url := m.channel()
	return fmt.Appendf(nil, `{"auction":%d,"bidder":%d,"price":%d,"channel":"%s","url":"%s","date_time":"%s"}`+"\n",
		firstID+m.recent(m.auctions, 100, 10), firstID+m.recent(m.persons, 50, 4), m.price(), channel, url, stamp(at))
}

// channel is where a bid came from, and the address that it was made at. Of those
// that are less known only some addresses say which they are.
func (m *maker) channel() (name, url string) {
	dir := func() string {
		return string([]byte{'a' + byte(m.random.IntN(26)), 'a' + byte(m.random.IntN(26)), 'a' + byte(m.random.IntN(26))})
	}
	url = fmt.Sprintf("https://auctions.example.org/%s/%s/%s/item.htm?query=1", dir(), dir(), dir())
	if m.random.IntN(2) == 0 {
		return pick(m, channels), url
	}
	n := m.random.IntN(1000)
	if n%10 > 0 {
		url += fmt.Sprintf("&channel_id=%d", n)
	}
	return fmt.Sprintf("channel-%d", n), url
}

// price is of cents, from 1 unit to nearly 1,000,000: as many of ten as of a thousand.
func (m *maker) price() int64 {
	price := 100 + m.random.Int64N(900)
	for range m.random.IntN(6) {
		price *= 10
	}
	return price
}
