/** What each gateway of a simulated cluster brings, so that clusters of all sizes have the same to do by gateway. */
export const perGateway = { projects: 200, connections: 20_000 };

/** What its connections do. 500 gateways have 100,000 projects, 10 M connections and 1 M messages a second. */
export const behaviour = {
  /** Exponent of the Zipf distribution of connections, and so of messages, over projects. */
  zipf: 1,
  /** Connections in a room, but for the last one of a project. */
  roomSize: 50,
  /** Topics in a room; each connection is subscribed to one of them. */
  topicsPerRoom: 2,
  /** Published by a connection in a second. */
  messageRate: 0.1,
  payloadBytes: 200,
  /** One message in so many is retained, and one room in so many has a worker group, or a worker group with jobs. */
  retainedEvery: 20,
  groupRoomEvery: 20,
  jobRoomEvery: 50,
  /** Connections that are present in their room, and how long a connection lasts. */
  presentShare: 0.3,
  presenceBytes: 60,
  connectionSeconds: 600,
  /** A project changes the rights of an actor, or a room, once in so many seconds. */
  changeSeconds: 200,
  /** Of an organization, against the connections that it has. */
  connectionLimit: 2,
  monthlyMessages: 1_000_000_000,
};

/** A balancer lets a gateway have so many times the average (`hash-balance-factor` of infra/load-balancers/haproxy.cfg). */
export const balanceFactor = 1.5;
