import { defineConfig } from 'vitest/config';

// In a file of its own: vite.config.ts asks the service for its customer, and no test needs that.
export default defineConfig({ test: { include: ['test/**/*.test.ts'] } });
