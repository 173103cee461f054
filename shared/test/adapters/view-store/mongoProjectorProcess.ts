import process from 'node:process';
import { openMongoViewStores } from '../../../src/adapters/view-store/mongo/mongoViewStore.js';
import { project } from './mongoSampleLog.js';

/** Projects the made-up log from the checkpoint on, until it is done or killed. */
const [url = '', database = '', to = '0'] = process.argv.slice(2);
const stores = await openMongoViewStores({ url, database });
process.send?.('begins');
await project(stores.views, Number(to));
process.send?.('done');
await stores.close();
process.disconnect();
