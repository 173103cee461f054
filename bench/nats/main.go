// NATS with a WebSocket listener and nothing kept on disk, for the measurements side by side.
package main

import (
	"fmt"
	"log"
	"net/url"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

const never = 24 * time.Hour

func main() {
	nats, err := server.NewServer(&server.Options{
		Host:                  "127.0.0.1",
		Port:                  server.RANDOM_PORT,
		Websocket:             server.WebsocketOpts{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoTLS: true},
		NoLog:                 true,
		NoSigs:                true,
		DisableShortFirstPing: true,
		PingInterval:          never,
	})
	if err != nil {
		log.Fatal(err)
	}
	nats.Start()
	if !nats.ReadyForConnections(10 * time.Second) {
		log.Fatal("NATS is not ready after 10 seconds")
	}
	address, err := url.Parse(nats.WebsocketURL())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("Ready on port %s\n", address.Port())
	serve(nats)
}

// Collects garbage when it is asked to, as the Node programs do, until it is told to end.
func serve(nats *server.Server) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGUSR2, syscall.SIGTERM, syscall.SIGINT)
	for received := range signals {
		if received != syscall.SIGUSR2 {
			nats.Shutdown()
			return
		}
		debug.FreeOSMemory()
	}
}
