// Beside the sources of Centrifugo when it is built for the measurements: it collects garbage when it is asked to, as the others do.
package main

import (
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
)

func init() {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGUSR2)
	go func() {
		for range asked {
			debug.FreeOSMemory()
		}
	}()
}
