// NATS for the measurements side by side: with a WebSocket listener and nothing kept on disk, or with JetStream in a folder.
package main

import (
	"flag"
	"fmt"
	"log"
	"net"
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
	store := flag.String("jetstream", "", "folder of JetStream, which then listens without WebSocket; nothing is kept otherwise")
	syncAlways := flag.Bool("sync-always", false, "whether each message is on disk before it is acknowledged")
	flag.Parse()
	options := &server.Options{
		Host:                  "127.0.0.1",
		Port:                  server.RANDOM_PORT,
		NoLog:                 true,
		NoSigs:                true,
		DisableShortFirstPing: true,
		PingInterval:          never,
	}
	if *store == "" {
		options.Websocket = server.WebsocketOpts{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoTLS: true}
	} else {
		options.JetStream = true
		options.StoreDir = *store
		options.SyncAlways = *syncAlways
	}
	nats, err := server.NewServer(options)
	if err != nil {
		log.Fatal(err)
	}
	nats.Start()
	if !nats.ReadyForConnections(10 * time.Second) {
		log.Fatal("NATS is not ready after 10 seconds")
	}
	fmt.Printf("Ready on port %s\n", portOf(nats, *store == ""))
	serve(nats)
}

func portOf(nats *server.Server, onWebSocket bool) string {
	if !onWebSocket {
		_, port, err := net.SplitHostPort(nats.Addr().String())
		if err != nil {
			log.Fatal(err)
		}
		return port
	}
	address, err := url.Parse(nats.WebsocketURL())
	if err != nil {
		log.Fatal(err)
	}
	return address.Port()
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
