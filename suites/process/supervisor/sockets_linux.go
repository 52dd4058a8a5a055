package supervisor

import (
	"syscall"
	"unsafe"
)

// openProbe opens a socket that lists the sockets of our network; 0 where the
// kernel has none.
func openProbe() int {
	const sockDiag = 4
	fd, _, errno := syscall.RawSyscall(syscall.SYS_SOCKET, syscall.AF_NETLINK, syscall.SOCK_RAW|syscall.SOCK_CLOEXEC, sockDiag)
	if errno != 0 {
		return 0
	}
	return int(fd)
}

// A family is a kind of sockets that the kernel lists.
type family struct {
	request   []byte
	answer    int    // bytes before the attributes of a socket
	attribute uint16 // with the sizes of its buffers
}

var families = [...]family{
	unixSockets(),
	internetSockets(syscall.AF_INET, syscall.IPPROTO_TCP), internetSockets(syscall.AF_INET6, syscall.IPPROTO_TCP),
	internetSockets(syscall.AF_INET, syscall.IPPROTO_UDP), internetSockets(syscall.AF_INET6, syscall.IPPROTO_UDP),
}

// The requests are a header of netlink and the kernel's struct unix_diag_req or
// inet_diag_req_v2, for sockets in any state.

func unixSockets() family {
	const size, showMemory = 24, 0x20
	b := listRequest(size, syscall.AF_UNIX, 0)
	b[netlinkHeader+12] = showMemory
	return family{b, 16, 5}
}

func internetSockets(domain, protocol byte) family {
	const size, memory = 56, 1 << 6
	b := listRequest(size, domain, protocol)
	b[netlinkHeader+2] = memory
	return family{b, 72, 7}
}

const netlinkHeader = 16

func listRequest(size int, domain, protocol byte) []byte {
	const byFamily, request, dump = 20, 0x1, 0x300
	b := make([]byte, netlinkHeader+size)
	*(*syscall.NlMsghdr)(unsafe.Pointer(&b[0])) = syscall.NlMsghdr{Len: uint32(len(b)), Type: byFamily, Flags: request | dump}
	b[netlinkHeader], b[netlinkHeader+1] = domain, protocol
	*(*uint32)(unsafe.Pointer(&b[netlinkHeader+4])) = ^uint32(0)
	return b
}

// listSockets returns how many sockets the kernel lists and what their buffers
// hold, in bytes.
func (u *unmapped) listSockets(r *procReader) (listed, held int) {
	if u.probe == 0 {
		return 0, 0
	}
	for i := range families {
		f := &families[i]
		_, _, errno := syscall.RawSyscall6(syscall.SYS_SENDTO, uintptr(u.probe), uintptr(unsafe.Pointer(&f.request[0])), uintptr(len(f.request)), 0, 0, 0)
		if errno != 0 {
			continue
		}
		for more := true; more; {
			n, _, errno := syscall.RawSyscall6(syscall.SYS_RECVFROM, uintptr(u.probe), uintptr(unsafe.Pointer(&r.buf[0])), uintptr(len(r.buf)), syscall.MSG_DONTWAIT, 0, 0)
			if errno != 0 {
				break
			}
			var count, bytes int
			count, bytes, more = f.read(r.buf[:n])
			listed, held = listed+count, held+bytes
		}
	}
	return listed, held
}

// read takes messages about sockets apart. There are more unless one says so.
func (f *family) read(b []byte) (sockets, held int, more bool) {
	for len(b) >= netlinkHeader {
		h := *(*syscall.NlMsghdr)(unsafe.Pointer(&b[0]))
		size := int(h.Len)
		if size < netlinkHeader || size > len(b) || h.Type == syscall.NLMSG_DONE || h.Type == syscall.NLMSG_ERROR {
			return sockets, held, false
		}
		if size >= netlinkHeader+f.answer {
			sockets++
			held += f.buffered(b[netlinkHeader+f.answer : size])
		}
		b = b[min((size+3)&^3, len(b)):]
	}
	return sockets, held, true
}

// buffered finds the sizes of a socket's buffers among its attributes.
func (f *family) buffered(b []byte) int {
	const header, received, sending, queued, fields = 4, 0, 2, 5, 9
	for len(b) >= header {
		size, kind := int(b[0])|int(b[1])<<8, uint16(b[2])|uint16(b[3])<<8
		if size < header || size > len(b) {
			return 0
		}
		if kind == f.attribute && size >= header+4*fields {
			sizes := (*[fields]uint32)(unsafe.Pointer(&b[header]))
			return int(sizes[received]) + int(max(sizes[sending], sizes[queued]))
		}
		b = b[min((size+3)&^3, len(b)):]
	}
	return 0
}
