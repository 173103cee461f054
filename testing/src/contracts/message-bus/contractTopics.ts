import { delayedJobs, jobs, notes, otherJobs, otherNotes, overlappingJobs } from './busUnderTest.js';
import { markedNotes } from './headersContract.js';

/** Everything that the contract sends and puts, for adapters that have to know it beforehand. */
export const contractTopics = {
  channels: [notes, otherNotes, markedNotes],
  queues: [jobs, otherJobs, overlappingJobs, delayedJobs],
};
