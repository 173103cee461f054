/** A WebSocket frame of this size passes, one byte more closes the connection with 1009. */
export const maxFrameBytes = 1_048_576;

/** `data` of this size as MessagePack passes, one byte more is `message_too_large`. */
export const maxDataBytes = 921_600;

/** The `data` of a `presence` as MessagePack; every gateway holds it while the actor is present. */
export const maxPresenceBytes = 16_384;

/** The name of a worker group, in characters. */
export const maxGroupName = 255;

/** Arrays and maps inside one another, the frame's own map included. Encoders stop at 100. */
export const maxNesting = 64;

/** Fields of a frame, known or not. */
export const maxFrameFields = 64;

/** Filters of a subscription, values of an AND-group, filters of a publish. */
export const maxFilters = 100;

/** Values of all filters of a subscription together: each may cost a look-up a message. */
export const maxFilterValues = 1_000;

/** Ids in one `batchAck`. */
export const maxAckIds = 10_000;
