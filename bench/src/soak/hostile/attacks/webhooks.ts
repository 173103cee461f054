import { type Attack, keepSockets, repeatedly } from './attack.js';

const triggers = (name: string, from: string, app: 'failingApp' | 'hangingApp', bytes: number): Attack => ({
  name,
  run: (context) =>
    keepSockets(context, from, context.tenant.users.slice(200, 201), (socket) =>
      repeatedly(4, context.signal, () =>
        socket.send({
          type: 'publish',
          topic: `${context.tenant[app]}/room-0/flood`,
          data: 'x'.repeat(bytes),
        }),
      ),
    ),
});

/** What a tenant makes the service call. */
export const webhookAttacks: readonly Attack[] = [
  triggers('triggers that fail', '127.0.0.30', 'failingApp', 200_000),
  triggers('triggers that hang', '127.0.0.31', 'hangingApp', 20_000),
];
