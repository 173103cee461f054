import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server } from 'socket.io';

const never = 24 * 60 * 60 * 1000;

/** Socket.IO as its documentation sets it up for many connections: WebSocket alone, the first request let go. */
const http = createServer();
const io = new Server(http, {
  transports: ['websocket'],
  serveClient: false,
  perMessageDeflate: false,
  pingInterval: never,
});
io.engine.on('connection', (raw: { request: unknown }) => {
  raw.request = null;
});

io.on('connection', (socket) => {
  let presentIn: string | undefined;
  const leave = (): void => {
    if (presentIn !== undefined) socket.to(presentIn).emit('leave', socket.id);
  };
  socket.on('join', (room: string, done: () => void) => {
    void socket.join(room);
    done();
  });
  socket.on('publish', (room: string, data: string) => {
    socket.to(room).emit('message', data);
  });
  socket.on('presence', (room: string, data: string) => {
    if (presentIn !== room) {
      leave();
      if (presentIn !== undefined) void socket.leave(presentIn);
      void socket.join(room);
    }
    socket.to(room).emit(presentIn === room ? 'update' : 'join', socket.id, data);
    presentIn = room;
  });
  socket.on('disconnect', leave);
});

http.listen(0, '127.0.0.1', () => {
  process.stdout.write(`Ready on port ${(http.address() as AddressInfo).port}\n`);
});
