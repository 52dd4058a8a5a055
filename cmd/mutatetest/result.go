package main

import "slices"

// A result is what one edit did.
type result struct {
	operator                                        string
	changed, selected, marked, file, unit, repeated int // cases
	missed                                          int
}

func (r *result) count(changed, selected, marked, file, unit bool) {
	for _, n := range []struct {
		is bool
		to *int
	}{
		{changed, &r.changed}, {selected, &r.selected}, {marked, &r.marked},
		{file, &r.file}, {unit, &r.unit}, {changed && !selected, &r.missed},
	} {
		if n.is {
			*n.to++
		}
	}
}

// mean and median of what a part of the results gives, in percent of the cases.
func mean(results []result, of func(result) int) float64 {
	sum := 0.0
	for _, r := range results {
		sum += share(r, of)
	}
	return sum / float64(max(len(results), 1))
}

func median(results []result, of func(result) int) float64 {
	if len(results) == 0 {
		return 0
	}
	var list []float64
	for _, r := range results {
		list = append(list, share(r, of))
	}
	slices.Sort(list)
	mid := len(list) / 2
	if len(list)%2 == 1 {
		return list[mid]
	}
	return (list[mid-1] + list[mid]) / 2
}

func share(r result, of func(result) int) float64 {
	return 100 * float64(of(r)) / float64(max(r.repeated, 1))
}
