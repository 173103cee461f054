// Command ferretdb serves the MongoDB wire protocol from a folder of SQLite files, for tests.
package main

import (
	"context"
	"flag"
	"log"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/FerretDB/FerretDB/ferretdb"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:0", "address to listen on")
	data := flag.String("data", ".", "folder for the data")
	flag.Parse()
	// Its documents live for one answer: a quarter of its time would go into collecting them.
	debug.SetGCPercent(800)

	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()

	// The embedded package reports to nobody: it turns telemetry off by itself.
	server, err := ferretdb.New(&ferretdb.Config{
		Listener: ferretdb.ListenerConfig{TCP: *listen},
		Logger:   slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
		Handler:  "sqlite",
		// What was answered survives the end of the process, not that of the machine.
		SQLiteURL: "file:" + *data + "/?_pragma=synchronous(off)",
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := server.Run(ctx); err != nil {
		log.Fatal(err)
	}
}
