// Package sim holds the simulation: the whole system over a store in memory that
// loses answers, fails, answers late and does writes long after the caller gave
// up, worked on by processes that die between any two store calls, fall asleep
// and wake up with old knowledge. A model that shares no code with the system
// says what must be true, and is asked at every write that reaches the store.
//
// A history follows from its seed alone. Time is that of a synctest bubble, so
// a history of hours takes a second, and which call comes first is decided by
// how long each takes, which is drawn from the seed, the process and the call.
package sim
