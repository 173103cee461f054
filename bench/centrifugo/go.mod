module roomwire/bench/centrifugo

go 1.26.0

require github.com/centrifugal/centrifugo/v6 v6.9.1
