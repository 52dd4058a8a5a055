package supervisor

const (
	sysSeccomp        = 317
	sysNewfstatat     = 262
	sysMemfdCreate    = 319
	sysProcessVMReadv = 310
	sysShmctl         = 31
	sysMsgctl         = 71
	sysSemctl         = 66
)
