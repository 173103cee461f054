import { PageHeader } from '../../components/PageHeader.js';

export const RoomsPage = () => <PageHeader title="Apps and rooms" />;
