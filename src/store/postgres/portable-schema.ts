// Migrations are written once. This makes PostgreSQL's words of what SQLite spells or means differently.
import {
  type ColumnDefinitionNode,
  type DataTypeNode,
  GeneratedNode,
  type KyselyPlugin,
  OperationNodeTransformer,
  type QueryResult,
  RawNode,
  type RootOperationNode,
  type UnknownRow,
} from 'kysely'

class Portable extends OperationNodeTransformer {
  /** SQLite compares text by its bytes: ids and cursors must sort alike whatever language the database has. */
  protected override transformDataType(node: DataTypeNode): DataTypeNode {
    if (node.dataType === 'text') return RawNode.createWithSql('text collate "C"') as unknown as DataTypeNode
    return super.transformDataType(node)
  }

  /** `integer primary key autoincrement` counts to 2^63 in SQLite. */
  protected override transformColumnDefinition(node: ColumnDefinitionNode): ColumnDefinitionNode {
    const column = super.transformColumnDefinition(node)
    if (!node.autoIncrement) return column
    const { autoIncrement: _, ...rest } = column
    return {
      ...rest,
      dataType: RawNode.createWithSql('bigint'),
      generated: GeneratedNode.create({ identity: true, byDefault: true }),
    }
  }
}

export class PortableSchema implements KyselyPlugin {
  readonly #transformer = new Portable()

  transformQuery({ node }: { node: RootOperationNode }): RootOperationNode {
    return this.#transformer.transformNode(node)
  }

  async transformResult({ result }: { result: QueryResult<UnknownRow> }): Promise<QueryResult<UnknownRow>> {
    return result
  }
}
