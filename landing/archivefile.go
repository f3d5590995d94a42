package landing

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"os"
	"slices"

	"strandline/internal/digest"
	"strandline/internal/log"
	"strandline/internal/packed"
)

// An archive is blocks of packed arrivals, in order of commit, and then its index:
// where each block ends and its SHA-256; the identities of all arrivals, ascending,
// each with its block; and their names, ascending. Of identities and names the
// index holds 8 bytes: a name that has them is taken for the same (it is only told),
// an identity is looked for in its block. Where arrivals have versions, gaps or sources, their
// block ends with these, and the index with the versions, ascending, 16 bytes of each,
// which is enough to tell them apart.

// archiveBlock is how many arrivals a block holds.
const archiveBlock = 256

// archiveIndex is an index as it is held in memory.
type archiveIndex struct {
	blocks     []archiveSpan
	identities []shortIdentity // ascending
	names      []uint64        // ascending
	versions   []digest.Sum128 // ascending
}

// archiveSpan is the bytes [from, to) of a block.
type archiveSpan struct {
	from, to int64
	digest   digest.Hash
}

type shortIdentity struct {
	bits  uint64
	block uint32
}

func (i shortIdentity) compare(j shortIdentity) int {
	return cmp.Or(cmp.Compare(i.bits, j.bits), cmp.Compare(i.block, j.block))
}

func shortOf(id Identity) uint64 { return binary.BigEndian.Uint64(id.Digest[:]) }

func shortName(name string) uint64 { return shortOf(Identity{Digest: digest.OfBytes([]byte(name))}) }

// encodeArchive writes down arrivals, and what an archive says of the object. Its id
// and where it starts are the caller's to say.
func encodeArchive(arrivals []Arrival) ([]byte, Archive) {
	var w packed.Writer
	var index archiveIndex
	for block := range slices.Chunk(arrivals, archiveBlock) {
		from := len(w.Bytes)
		packArrivals(&w, block)
		packTraits(&w, block)
		n := uint32(len(index.blocks))
		index.blocks = append(index.blocks, archiveSpan{from: int64(from), to: int64(len(w.Bytes)), digest: digest.OfBytes(w.Bytes[from:])})
		for _, a := range block {
			index.identities = append(index.identities, shortIdentity{shortOf(a.Identity), n})
			index.names = append(index.names, shortName(a.Name))
			if a.Version != "" {
				index.versions = append(index.versions, versionOf(a.Name, a.Version))
			}
		}
	}
	slices.SortFunc(index.identities, shortIdentity.compare)
	slices.Sort(index.names)
	slices.SortFunc(index.versions, digest.Sum128.Compare)
	at := len(w.Bytes)
	index.pack(&w)
	to, rejects := totalOf(arrivals)
	return w.Bytes, Archive{
		To: to, Rejects: rejects, Bytes: int64(len(w.Bytes)), Digest: digest.OfBytes(w.Bytes),
		Index: int64(at), IndexDigest: digest.OfBytes(w.Bytes[at:]), Arrivals: int64(len(arrivals)),
	}
}

func (x *archiveIndex) pack(w *packed.Writer) {
	w.Uint(uint64(len(x.blocks)))
	for _, b := range x.blocks {
		w.Int(b.to - b.from)
		w.Hash(b.digest)
	}
	w.Uint(uint64(len(x.identities)))
	before := uint64(0)
	for _, id := range x.identities {
		w.Uint(id.bits - before)
		w.Uint(uint64(id.block))
		before = id.bits
	}
	before = 0
	for _, name := range x.names {
		w.Uint(name - before)
		before = name
	}
	if len(x.versions) > 0 {
		packVersions(w, x.versions)
	}
}

// decodeIndex reads the index of an archive.
func decodeIndex(data []byte, a Archive) (*archiveIndex, error) {
	if digest.OfBytes(data) != a.IndexDigest {
		return nil, fmt.Errorf("%w: its index was damaged or edited", log.ErrCorrupt)
	}
	r := packed.NewReader(data)
	x := &archiveIndex{blocks: make([]archiveSpan, r.Count(1+32))}
	end := int64(0)
	for i := range x.blocks {
		from := end
		end += r.Int()
		x.blocks[i] = archiveSpan{from: from, to: end, digest: r.Hash()}
		if end < from || end > a.Index {
			return nil, fmt.Errorf("%w: block %d lies at [%d, %d)", log.ErrCorrupt, i, from, end)
		}
	}
	n := r.Count(2)
	if r.Err() == nil && (int64(n) != a.Arrivals || end != a.Index) {
		return nil, fmt.Errorf("%w: its index is of %d arrivals in %d bytes, want %d in %d", log.ErrCorrupt, n, end, a.Arrivals, a.Index)
	}
	x.identities, x.names = make([]shortIdentity, n), make([]uint64, n)
	bits := uint64(0)
	for i := range x.identities {
		bits += r.Uint()
		x.identities[i] = shortIdentity{bits, uint32(r.Choice(len(x.blocks)))}
	}
	bits = 0
	for i := range x.names {
		bits += r.Uint()
		x.names[i] = bits
	}
	if r.More() {
		x.versions = unpackVersions(r)
	}
	if err := r.Done(); err != nil {
		return nil, fmt.Errorf("%w: its index: %v", log.ErrCorrupt, err)
	}
	return x, nil
}

// CheckIndex is log.ErrCorrupt if the index in the archive's file at path, without which
// nothing can be looked up in it, is not as it was written.
func (a *Archive) CheckIndex(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("check the index of an archive of arrivals: %w", err)
	}
	defer file.Close()
	data := make([]byte, a.Bytes-a.Index)
	if _, err := file.ReadAt(data, a.Index); err != nil {
		return fmt.Errorf("read the index of an archive of arrivals: %w", err)
	}
	_, err = decodeIndex(data, *a)
	return err
}

// mayHold lists the blocks that an identity may be in, most often none.
func (x *archiveIndex) mayHold(id Identity) []archiveSpan {
	bits := shortOf(id)
	i, _ := slices.BinarySearchFunc(x.identities, bits, func(have shortIdentity, bits uint64) int { return cmp.Compare(have.bits, bits) })
	var spans []archiveSpan
	for ; i < len(x.identities) && x.identities[i].bits == bits; i++ {
		spans = append(spans, x.blocks[x.identities[i].block])
	}
	return spans
}

// holdsName tells whether an arrival came under a name.
func (x *archiveIndex) holdsName(name string) bool {
	_, found := slices.BinarySearch(x.names, shortName(name))
	return found
}

// decodeBlock reads a block.
func decodeBlock(data []byte, span archiveSpan) ([]Arrival, error) {
	if digest.OfBytes(data) != span.digest {
		return nil, fmt.Errorf("%w: the bytes [%d, %d) were damaged or edited", log.ErrCorrupt, span.from, span.to)
	}
	r := packed.NewReader(data)
	arrivals := unpackArrivals(r)
	if r.More() {
		unpackTraits(r, arrivals)
	}
	if err := r.Done(); err != nil {
		return nil, fmt.Errorf("%w: the bytes [%d, %d): %v", log.ErrCorrupt, span.from, span.to, err)
	}
	return arrivals, nil
}
