import { FrameWalker } from '../frameWalker.js';
import { stampFromEnd } from '../message.js';
import type { Layout } from './wire.js';

/** A delivery is a binary frame that ends with the data. */
export const binaryLayout: Layout = {
  opcode: 2,
  stampFromEnd,
  momentOf: (raw) => raw,
  walker: (sink) => new FrameWalker(sink),
};
