import process from 'node:process';
import { openMongoViewStore } from '../../../src/adapters/view-store/mongo/mongoViewStore.js';
import { project } from './mongoSampleLog.js';

/** Projects the made-up log from the checkpoint on, until it is done or killed. */
const [url = '', database = '', to = '0'] = process.argv.slice(2);
const store = await openMongoViewStore({ url, database });
process.send?.('begins');
await project(store, Number(to));
process.send?.('done');
await store.close();
process.disconnect();
