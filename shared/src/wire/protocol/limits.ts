import { limitTable } from '../limits/limitTable.js';

/** A WebSocket frame of this size passes, one byte more closes the connection with 1009. */
export const maxFrameBytes = limitTable.frameBytes.value;

/** `data` of this size as MessagePack passes, one byte more is `message_too_large`. */
export const maxDataBytes = limitTable.dataBytes.value;

/** The `data` of a `presence` as MessagePack; every gateway holds it while the actor is present. */
export const maxPresenceBytes = limitTable.presenceBytes.value;

/** The answer to one `getPresence`. */
export const maxPresenceListBytes = limitTable.presenceListBytes.value;

/** The name of a worker group, in characters. */
export const maxSdkName = limitTable.sdkNameLength.value;
export const maxGroupName = limitTable.groupNameLength.value;

/** Arrays and maps inside one another, the frame's own map included. Encoders stop at 100. */
export const maxNesting = limitTable.nesting.value;

/** Fields of a frame, known or not. */
export const maxFrameFields = limitTable.frameFields.value;

/** Filters of a subscription, values of an AND-group, filters of a publish. */
export const maxFilters = limitTable.filters.value;

/** Values of all filters of a subscription together: each may cost a look-up a message. */
export const maxFilterValues = limitTable.filterValues.value;

/** Messages in the answer to one `history`, and those that `from: { last }` may ask for. */
export const maxHistoryMessages = limitTable.historyMessages.value;
export const defaultHistoryMessages = 100;

/** Ids in one `batchAck`. */
export const maxAckIds = limitTable.ackIds.value;
