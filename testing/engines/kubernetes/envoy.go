package main

import (
	bootstrap "github.com/envoyproxy/go-control-plane/envoy/config/bootstrap/v3"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/reflect/protopath"
	"google.golang.org/protobuf/reflect/protorange"

	// The kinds that a configuration may have as `typed_config`.
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/http/router/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/network/http_connection_manager/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/retry/host/previous_hosts/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/transport_sockets/tls/v3"
)

type bounded interface{ ValidateAll() error }

// What the messages of Envoy's API do not have, and the bounds that they declare, also of those in `typed_config`.
func envoyProblems(document []byte) []string {
	var configuration bootstrap.Bootstrap
	if err := protojson.Unmarshal(document, &configuration); err != nil {
		return lines(err)
	}
	problems := []string{}
	if err := configuration.ValidateAll(); err != nil {
		problems = lines(err)
	}
	err := protorange.Range(configuration.ProtoReflect(), func(values protopath.Values) error {
		step := values.Index(-1)
		if step.Step.Kind() != protopath.AnyExpandStep {
			return nil
		}
		if message, known := step.Value.Message().Interface().(bounded); known {
			if err := message.ValidateAll(); err != nil {
				problems = append(problems, lines(err)...)
			}
		}
		return nil
	})
	if err != nil {
		problems = append(problems, lines(err)...)
	}
	return problems
}
