import { PageHeader } from '../../components/PageHeader.js';

export const KeysPage = () => <PageHeader title="Keys" />;
