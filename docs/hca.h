/* Host interface, version 0.2. Made by `hca interface`.
 *
 * HCA_REG_*: byte offsets of registers. HCA_CMD_*: command codes. HCA_ARG_*, HCA_ANSWER_*: words of their
 * arguments and answers.
 * *_SHIFT and *_MASK: a field is (word & MASK) >> SHIFT. HCA_*_AT and HCA_*_BYTES: members of entries in host
 * memory, the most significant byte first.
 */
#ifndef HCA_H
#define HCA_H

/* What this is, and how large. */
#define HCA_REG_ID                                       0x00000u
#define HCA_REG_VERSION                                  0x00004u
#define HCA_REG_VERSION_MINOR_SHIFT                      0u
#define HCA_REG_VERSION_MINOR_MASK                       0x0000FFFFu
#define HCA_REG_VERSION_MAJOR_SHIFT                      16u
#define HCA_REG_VERSION_MAJOR_MASK                       0xFFFF0000u
#define HCA_REG_LIMITS                                   0x00008u
#define HCA_REG_LIMITS_LOG_QPS_SHIFT                     0u
#define HCA_REG_LIMITS_LOG_QPS_MASK                      0x000000FFu
#define HCA_REG_LIMITS_LOG_CQS_SHIFT                     8u
#define HCA_REG_LIMITS_LOG_CQS_MASK                      0x0000FF00u
#define HCA_REG_LIMITS_STREAM_BYTES_SHIFT                16u
#define HCA_REG_LIMITS_STREAM_BYTES_MASK                 0x00FF0000u
#define HCA_REG_LIMITS_LOG_REGIONS_SHIFT                 24u
#define HCA_REG_LIMITS_LOG_REGIONS_MASK                  0xFF000000u
#define HCA_REG_QUEUE_LIMITS                             0x0000Cu
#define HCA_REG_QUEUE_LIMITS_LOG_CQES_SHIFT              0u
#define HCA_REG_QUEUE_LIMITS_LOG_CQES_MASK               0x0000000Fu
#define HCA_REG_QUEUE_LIMITS_LOG_SEND_WQES_SHIFT         8u
#define HCA_REG_QUEUE_LIMITS_LOG_SEND_WQES_MASK          0x00000F00u
#define HCA_REG_QUEUE_LIMITS_LOG_RECEIVE_WQES_SHIFT      16u
#define HCA_REG_QUEUE_LIMITS_LOG_RECEIVE_WQES_MASK       0x000F0000u
#define HCA_REG_QUEUE_LIMITS_MAX_RD_ATOMIC_SHIFT         24u
#define HCA_REG_QUEUE_LIMITS_MAX_RD_ATOMIC_MASK          0x1F000000u
#define HCA_REG_WORK_LIMITS                              0x00014u
#define HCA_REG_WORK_LIMITS_MAX_SGES_SHIFT               0u
#define HCA_REG_WORK_LIMITS_MAX_SGES_MASK                0x000000FFu
#define HCA_REG_WORK_LIMITS_MAX_INLINE_SHIFT             8u
#define HCA_REG_WORK_LIMITS_MAX_INLINE_MASK              0x00FFFF00u
#define HCA_REG_WORK_LIMITS_ROCE_SHIFT                   24u
#define HCA_REG_WORK_LIMITS_ROCE_MASK                    0x01000000u
#define HCA_REG_WORK_LIMITS_PORTS_SHIFT                  28u
#define HCA_REG_WORK_LIMITS_PORTS_MASK                   0xF0000000u

/* The port's addresses and partitions. */
#define HCA_REG_PORT                                     0x00010u
#define HCA_REG_PORT_LID_SHIFT                           0u
#define HCA_REG_PORT_LID_MASK                            0x0000FFFFu
#define HCA_REG_PORT_LMC_SHIFT                           16u
#define HCA_REG_PORT_LMC_MASK                            0x00070000u
#define HCA_REG_PORT_MAC_HIGH                            0x00018u
#define HCA_REG_PORT_MAC_HIGH_BYTES_SHIFT                0u
#define HCA_REG_PORT_MAC_HIGH_BYTES_MASK                 0x0000FFFFu
#define HCA_REG_PORT_MAC_LOW                             0x0001Cu
#define HCA_REG_PORT_GID(n)                              (0x00030u + 4u * (n))
#define HCA_REG_PORT_GID_COUNT                           4u
#define HCA_REG_PORT_P_KEY(n)                            (0x00060u + 4u * (n))
#define HCA_REG_PORT_P_KEY_COUNT                         4u
#define HCA_REG_PORT_P_KEY_P_KEY_SHIFT                   0u
#define HCA_REG_PORT_P_KEY_P_KEY_MASK                    0x0000FFFFu

/* The interrupt line, level, up while an enabled cause stands. */
#define HCA_REG_IRQ_STATUS                               0x00020u
#define HCA_REG_IRQ_STATUS_EVENT_SHIFT                   0u
#define HCA_REG_IRQ_STATUS_EVENT_MASK                    0x00000001u
#define HCA_REG_IRQ_STATUS_HOST_MEMORY_SHIFT             1u
#define HCA_REG_IRQ_STATUS_HOST_MEMORY_MASK              0x00000002u
#define HCA_REG_IRQ_ENABLE                               0x00024u
#define HCA_REG_IRQ_ENABLE_EVENT_SHIFT                   0u
#define HCA_REG_IRQ_ENABLE_EVENT_MASK                    0x00000001u
#define HCA_REG_IRQ_ENABLE_HOST_MEMORY_SHIFT             1u
#define HCA_REG_IRQ_ENABLE_HOST_MEMORY_MASK              0x00000002u

/* The event queue; what happens while it is full or off waits, and nothing is lost. */
#define HCA_REG_EQ_BASE_HIGH                             0x00090u
#define HCA_REG_EQ_BASE_LOW                              0x00094u
#define HCA_REG_EQ_CONTROL                               0x00098u
#define HCA_REG_EQ_CONTROL_LOG_SIZE_SHIFT                0u
#define HCA_REG_EQ_CONTROL_LOG_SIZE_MASK                 0x0000000Fu
#define HCA_REG_EQ_CONTROL_ENABLE_SHIFT                  31u
#define HCA_REG_EQ_CONTROL_ENABLE_MASK                   0x80000000u
#define HCA_REG_EQ_CONSUMER                              0x0009Cu
#define HCA_REG_EQ_CONSUMER_CONSUMER_SHIFT               0u
#define HCA_REG_EQ_CONSUMER_CONSUMER_MASK                0x0000FFFFu

/* Since reset, modulo 2^32. */
#define HCA_REG_PACKETS_RECEIVED                         0x00040u
#define HCA_REG_PACKETS_SENT                             0x00044u
#define HCA_REG_PACKETS_DROPPED                          0x00048u
#define HCA_REG_DROPPED(n)                               (0x00200u + 4u * (n))
#define HCA_REG_DROPPED_COUNT                            32u

/* One command at a time. */
#define HCA_REG_COMMAND                                  0x00080u
#define HCA_REG_COMMAND_STATUS                           0x00084u
#define HCA_REG_COMMAND_STATUS_RESULT_SHIFT              0u
#define HCA_REG_COMMAND_STATUS_RESULT_MASK               0x000000FFu
#define HCA_REG_COMMAND_STATUS_BUSY_SHIFT                31u
#define HCA_REG_COMMAND_STATUS_BUSY_MASK                 0x80000000u
#define HCA_REG_ARGUMENT(n)                              (0x00100u + 4u * (n))
#define HCA_REG_ARGUMENT_COUNT                           25u

/* One pair for each queue pair, by the low bits of its QPN. */
#define HCA_REG_SQ_DOORBELL(n)                           (0x10000u + 8u * (n))
#define HCA_REG_SQ_DOORBELL_COUNT                        4096u
#define HCA_REG_SQ_DOORBELL_PRODUCER_SHIFT               0u
#define HCA_REG_SQ_DOORBELL_PRODUCER_MASK                0x0000FFFFu
#define HCA_REG_RQ_DOORBELL(n)                           (0x10004u + 8u * (n))
#define HCA_REG_RQ_DOORBELL_COUNT                        4096u
#define HCA_REG_RQ_DOORBELL_PRODUCER_SHIFT               0u
#define HCA_REG_RQ_DOORBELL_PRODUCER_MASK                0x0000FFFFu

/* One pair for each completion queue. */
#define HCA_REG_CQ_CONSUMER(n)                           (0x18000u + 8u * (n))
#define HCA_REG_CQ_CONSUMER_COUNT                        4096u
#define HCA_REG_CQ_CONSUMER_CONSUMER_SHIFT               0u
#define HCA_REG_CQ_CONSUMER_CONSUMER_MASK                0x0000FFFFu
#define HCA_REG_CQ_ARM(n)                                (0x18004u + 8u * (n))
#define HCA_REG_CQ_ARM_COUNT                             4096u
#define HCA_REG_CQ_ARM_SOLICITED_SHIFT                   0u
#define HCA_REG_CQ_ARM_SOLICITED_MASK                    0x00000001u

/* Commands. */
#define HCA_CMD_CREATE_CQ                                1u
#define HCA_ARG_CREATE_CQ_CQN                            0u
#define HCA_ARG_CREATE_CQ_BASE                           1u
#define HCA_ARG_CREATE_CQ_LOG_SIZE                       3u
#define HCA_CMD_MODIFY_QP                                2u
#define HCA_ARG_MODIFY_QP_QPN                            0u
#define HCA_ARG_MODIFY_QP_QPN_QPN_SHIFT                  0u
#define HCA_ARG_MODIFY_QP_QPN_QPN_MASK                   0x00FFFFFFu
#define HCA_ARG_MODIFY_QP_STATE                          1u
#define HCA_ARG_MODIFY_QP_STATE_STATE_SHIFT              0u
#define HCA_ARG_MODIFY_QP_STATE_STATE_MASK               0x00000007u
#define HCA_ARG_MODIFY_QP_STATE_PMTU_SHIFT               8u
#define HCA_ARG_MODIFY_QP_STATE_PMTU_MASK                0x00000700u
#define HCA_ARG_MODIFY_QP_DEST_QPN                       8u
#define HCA_ARG_MODIFY_QP_DEST_QPN_QPN_SHIFT             0u
#define HCA_ARG_MODIFY_QP_DEST_QPN_QPN_MASK              0x00FFFFFFu
#define HCA_ARG_MODIFY_QP_ADDRESS                        9u
#define HCA_ARG_MODIFY_QP_ADDRESS_DLID_SHIFT             0u
#define HCA_ARG_MODIFY_QP_ADDRESS_DLID_MASK              0x0000FFFFu
#define HCA_ARG_MODIFY_QP_ADDRESS_SL_SHIFT               16u
#define HCA_ARG_MODIFY_QP_ADDRESS_SL_MASK                0x000F0000u
#define HCA_ARG_MODIFY_QP_ADDRESS_SOURCE_PATH_BITS_SHIFT 24u
#define HCA_ARG_MODIFY_QP_ADDRESS_SOURCE_PATH_BITS_MASK  0x7F000000u
#define HCA_ARG_MODIFY_QP_P_KEY                          10u
#define HCA_ARG_MODIFY_QP_P_KEY_P_KEY_INDEX_SHIFT        0u
#define HCA_ARG_MODIFY_QP_P_KEY_P_KEY_INDEX_MASK         0x0000FFFFu
#define HCA_ARG_MODIFY_QP_P_KEY_PORT_SHIFT               16u
#define HCA_ARG_MODIFY_QP_P_KEY_PORT_MASK                0x00FF0000u
#define HCA_ARG_MODIFY_QP_SQ_PSN                         11u
#define HCA_ARG_MODIFY_QP_SQ_PSN_PSN_SHIFT               0u
#define HCA_ARG_MODIFY_QP_SQ_PSN_PSN_MASK                0x00FFFFFFu
#define HCA_ARG_MODIFY_QP_RQ_PSN                         12u
#define HCA_ARG_MODIFY_QP_RQ_PSN_PSN_SHIFT               0u
#define HCA_ARG_MODIFY_QP_RQ_PSN_PSN_MASK                0x00FFFFFFu
#define HCA_ARG_MODIFY_QP_TIMERS                         13u
#define HCA_ARG_MODIFY_QP_TIMERS_MIN_RNR_TIMER_SHIFT     0u
#define HCA_ARG_MODIFY_QP_TIMERS_MIN_RNR_TIMER_MASK      0x0000001Fu
#define HCA_ARG_MODIFY_QP_TIMERS_TIMEOUT_SHIFT           8u
#define HCA_ARG_MODIFY_QP_TIMERS_TIMEOUT_MASK            0x00001F00u
#define HCA_ARG_MODIFY_QP_TIMERS_RETRY_CNT_SHIFT         16u
#define HCA_ARG_MODIFY_QP_TIMERS_RETRY_CNT_MASK          0x00070000u
#define HCA_ARG_MODIFY_QP_TIMERS_RNR_RETRY_SHIFT         24u
#define HCA_ARG_MODIFY_QP_TIMERS_RNR_RETRY_MASK          0x07000000u
#define HCA_ARG_MODIFY_QP_GRH                            14u
#define HCA_ARG_MODIFY_QP_GRH_FLOW_LABEL_SHIFT           0u
#define HCA_ARG_MODIFY_QP_GRH_FLOW_LABEL_MASK            0x000FFFFFu
#define HCA_ARG_MODIFY_QP_GRH_GRH_SHIFT                  31u
#define HCA_ARG_MODIFY_QP_GRH_GRH_MASK                   0x80000000u
#define HCA_ARG_MODIFY_QP_HOP                            15u
#define HCA_ARG_MODIFY_QP_HOP_HOP_LIMIT_SHIFT            0u
#define HCA_ARG_MODIFY_QP_HOP_HOP_LIMIT_MASK             0x000000FFu
#define HCA_ARG_MODIFY_QP_HOP_TRAFFIC_CLASS_SHIFT        8u
#define HCA_ARG_MODIFY_QP_HOP_TRAFFIC_CLASS_MASK         0x0000FF00u
#define HCA_ARG_MODIFY_QP_DGID                           16u
#define HCA_ARG_MODIFY_QP_MAC_HIGH                       20u
#define HCA_ARG_MODIFY_QP_MAC_HIGH_BYTES_SHIFT           0u
#define HCA_ARG_MODIFY_QP_MAC_HIGH_BYTES_MASK            0x0000FFFFu
#define HCA_ARG_MODIFY_QP_MAC_HIGH_SOURCE_PORT_SHIFT     16u
#define HCA_ARG_MODIFY_QP_MAC_HIGH_SOURCE_PORT_MASK      0xFFFF0000u
#define HCA_ARG_MODIFY_QP_MAC_LOW                        21u
#define HCA_ARG_MODIFY_QP_LIMITS                         22u
#define HCA_ARG_MODIFY_QP_LIMITS_MAX_RD_ATOMIC_SHIFT     0u
#define HCA_ARG_MODIFY_QP_LIMITS_MAX_RD_ATOMIC_MASK      0x000000FFu
#define HCA_ARG_MODIFY_QP_LIMITS_MAX_DEST_RD_ATOMIC_SHIFT 8u
#define HCA_ARG_MODIFY_QP_LIMITS_MAX_DEST_RD_ATOMIC_MASK 0x0000FF00u
#define HCA_ARG_MODIFY_QP_LIMITS_REMOTE_WRITE_SHIFT      16u
#define HCA_ARG_MODIFY_QP_LIMITS_REMOTE_WRITE_MASK       0x00010000u
#define HCA_ARG_MODIFY_QP_LIMITS_REMOTE_READ_SHIFT       17u
#define HCA_ARG_MODIFY_QP_LIMITS_REMOTE_READ_MASK        0x00020000u
#define HCA_ARG_MODIFY_QP_LIMITS_REMOTE_ATOMIC_SHIFT     18u
#define HCA_ARG_MODIFY_QP_LIMITS_REMOTE_ATOMIC_MASK      0x00040000u
#define HCA_ARG_MODIFY_QP_LIMITS_CREDITS_SUPPLIED_SHIFT  24u
#define HCA_ARG_MODIFY_QP_LIMITS_CREDITS_SUPPLIED_MASK   0x01000000u
#define HCA_ARG_MODIFY_QP_LIMITS_CREDITS_EXPECTED_SHIFT  25u
#define HCA_ARG_MODIFY_QP_LIMITS_CREDITS_EXPECTED_MASK   0x02000000u
#define HCA_ARG_MODIFY_QP_ATTRIBUTES                     24u
#define HCA_ARG_MODIFY_QP_ATTRIBUTES_P_KEY_INDEX_SHIFT   0u
#define HCA_ARG_MODIFY_QP_ATTRIBUTES_P_KEY_INDEX_MASK    0x00000001u
#define HCA_ARG_MODIFY_QP_ATTRIBUTES_PORT_SHIFT          1u
#define HCA_ARG_MODIFY_QP_ATTRIBUTES_PORT_MASK           0x00000002u
#define HCA_ARG_MODIFY_QP_ATTRIBUTES_ACCESS_SHIFT        2u
#define HCA_ARG_MODIFY_QP_ATTRIBUTES_ACCESS_MASK         0x00000004u
#define HCA_ARG_MODIFY_QP_ATTRIBUTES_ADDRESS_SHIFT       3u
#define HCA_ARG_MODIFY_QP_ATTRIBUTES_ADDRESS_MASK        0x00000008u
#define HCA_ARG_MODIFY_QP_ATTRIBUTES_PMTU_SHIFT          4u
#define HCA_ARG_MODIFY_QP_ATTRIBUTES_PMTU_MASK           0x00000010u
#define HCA_ARG_MODIFY_QP_ATTRIBUTES_DEST_QPN_SHIFT      5u
#define HCA_ARG_MODIFY_QP_ATTRIBUTES_DEST_QPN_MASK       0x00000020u
#define HCA_ARG_MODIFY_QP_ATTRIBUTES_RQ_PSN_SHIFT        6u
#define HCA_ARG_MODIFY_QP_ATTRIBUTES_RQ_PSN_MASK         0x00000040u
#define HCA_ARG_MODIFY_QP_ATTRIBUTES_MAX_DEST_RD_ATOMIC_SHIFT 7u
#define HCA_ARG_MODIFY_QP_ATTRIBUTES_MAX_DEST_RD_ATOMIC_MASK 0x00000080u
#define HCA_ARG_MODIFY_QP_ATTRIBUTES_MIN_RNR_TIMER_SHIFT 8u
#define HCA_ARG_MODIFY_QP_ATTRIBUTES_MIN_RNR_TIMER_MASK  0x00000100u
#define HCA_ARG_MODIFY_QP_ATTRIBUTES_SQ_PSN_SHIFT        9u
#define HCA_ARG_MODIFY_QP_ATTRIBUTES_SQ_PSN_MASK         0x00000200u
#define HCA_ARG_MODIFY_QP_ATTRIBUTES_TIMEOUT_SHIFT       10u
#define HCA_ARG_MODIFY_QP_ATTRIBUTES_TIMEOUT_MASK        0x00000400u
#define HCA_ARG_MODIFY_QP_ATTRIBUTES_RETRY_CNT_SHIFT     11u
#define HCA_ARG_MODIFY_QP_ATTRIBUTES_RETRY_CNT_MASK      0x00000800u
#define HCA_ARG_MODIFY_QP_ATTRIBUTES_RNR_RETRY_SHIFT     12u
#define HCA_ARG_MODIFY_QP_ATTRIBUTES_RNR_RETRY_MASK      0x00001000u
#define HCA_ARG_MODIFY_QP_ATTRIBUTES_MAX_RD_ATOMIC_SHIFT 13u
#define HCA_ARG_MODIFY_QP_ATTRIBUTES_MAX_RD_ATOMIC_MASK  0x00002000u
#define HCA_ARG_MODIFY_QP_ATTRIBUTES_CREDITS_SHIFT       14u
#define HCA_ARG_MODIFY_QP_ATTRIBUTES_CREDITS_MASK        0x00004000u
#define HCA_ARG_MODIFY_QP_ATTRIBUTES_DRAINED_EVENT_SHIFT 15u
#define HCA_ARG_MODIFY_QP_ATTRIBUTES_DRAINED_EVENT_MASK  0x00008000u
#define HCA_CMD_REG_MR                                   3u
#define HCA_ARG_REG_MR_L_KEY                             0u
#define HCA_ARG_REG_MR_R_KEY                             1u
#define HCA_ARG_REG_MR_PD                                2u
#define HCA_ARG_REG_MR_PD_PD_SHIFT                       0u
#define HCA_ARG_REG_MR_PD_PD_MASK                        0x00FFFFFFu
#define HCA_ARG_REG_MR_BASE                              3u
#define HCA_ARG_REG_MR_LENGTH                            5u
#define HCA_ARG_REG_MR_RIGHTS                            7u
#define HCA_ARG_REG_MR_RIGHTS_LOCAL_WRITE_SHIFT          0u
#define HCA_ARG_REG_MR_RIGHTS_LOCAL_WRITE_MASK           0x00000001u
#define HCA_ARG_REG_MR_RIGHTS_REMOTE_WRITE_SHIFT         1u
#define HCA_ARG_REG_MR_RIGHTS_REMOTE_WRITE_MASK          0x00000002u
#define HCA_ARG_REG_MR_RIGHTS_REMOTE_READ_SHIFT          2u
#define HCA_ARG_REG_MR_RIGHTS_REMOTE_READ_MASK           0x00000004u
#define HCA_ARG_REG_MR_RIGHTS_REMOTE_ATOMIC_SHIFT        3u
#define HCA_ARG_REG_MR_RIGHTS_REMOTE_ATOMIC_MASK         0x00000008u
#define HCA_ARG_REG_MR_RIGHTS_ZERO_BASED_SHIFT           4u
#define HCA_ARG_REG_MR_RIGHTS_ZERO_BASED_MASK            0x00000010u
#define HCA_CMD_DEREG_MR                                 4u
#define HCA_ARG_DEREG_MR_L_KEY                           0u
#define HCA_CMD_INVALIDATE                               5u
#define HCA_ARG_INVALIDATE_R_KEY                         0u
#define HCA_CMD_DESTROY_CQ                               6u
#define HCA_ARG_DESTROY_CQ_CQN                           0u
#define HCA_CMD_RESIZE_CQ                                7u
#define HCA_ARG_RESIZE_CQ_CQN                            0u
#define HCA_ARG_RESIZE_CQ_BASE                           1u
#define HCA_ARG_RESIZE_CQ_LOG_SIZE                       3u
#define HCA_ANSWER_RESIZE_CQ_PRODUCER                    4u
#define HCA_ANSWER_RESIZE_CQ_PRODUCER_PRODUCER_SHIFT     0u
#define HCA_ANSWER_RESIZE_CQ_PRODUCER_PRODUCER_MASK      0x0000FFFFu
#define HCA_CMD_QUERY_CQ                                 8u
#define HCA_ARG_QUERY_CQ_CQN                             0u
#define HCA_ANSWER_QUERY_CQ_BASE                         1u
#define HCA_ANSWER_QUERY_CQ_LOG_SIZE                     3u
#define HCA_ANSWER_QUERY_CQ_COUNTS                       4u
#define HCA_ANSWER_QUERY_CQ_COUNTS_PRODUCER_SHIFT        0u
#define HCA_ANSWER_QUERY_CQ_COUNTS_PRODUCER_MASK         0x0000FFFFu
#define HCA_ANSWER_QUERY_CQ_COUNTS_CONSUMER_SHIFT        16u
#define HCA_ANSWER_QUERY_CQ_COUNTS_CONSUMER_MASK         0xFFFF0000u
#define HCA_ANSWER_QUERY_CQ_STATUS                       5u
#define HCA_ANSWER_QUERY_CQ_STATUS_FAILED_SHIFT          0u
#define HCA_ANSWER_QUERY_CQ_STATUS_FAILED_MASK           0x00000001u
#define HCA_ANSWER_QUERY_CQ_STATUS_ARMED_SHIFT           8u
#define HCA_ANSWER_QUERY_CQ_STATUS_ARMED_MASK            0x00000300u
#define HCA_CMD_CREATE_QP                                9u
#define HCA_ARG_CREATE_QP_QPN                            0u
#define HCA_ARG_CREATE_QP_QPN_QPN_SHIFT                  0u
#define HCA_ARG_CREATE_QP_QPN_QPN_MASK                   0x00FFFFFFu
#define HCA_ARG_CREATE_QP_STATE                          1u
#define HCA_ARG_CREATE_QP_STATE_SERVICE_SHIFT            4u
#define HCA_ARG_CREATE_QP_STATE_SERVICE_MASK             0x00000070u
#define HCA_ARG_CREATE_QP_LOG_SIZES                      2u
#define HCA_ARG_CREATE_QP_LOG_SIZES_SEND_SHIFT           0u
#define HCA_ARG_CREATE_QP_LOG_SIZES_SEND_MASK            0x000000FFu
#define HCA_ARG_CREATE_QP_LOG_SIZES_RECEIVE_SHIFT        8u
#define HCA_ARG_CREATE_QP_LOG_SIZES_RECEIVE_MASK         0x0000FF00u
#define HCA_ARG_CREATE_QP_SQ_BASE                        3u
#define HCA_ARG_CREATE_QP_RQ_BASE                        5u
#define HCA_ARG_CREATE_QP_CQNS                           7u
#define HCA_ARG_CREATE_QP_CQNS_SEND_SHIFT                0u
#define HCA_ARG_CREATE_QP_CQNS_SEND_MASK                 0x0000FFFFu
#define HCA_ARG_CREATE_QP_CQNS_RECEIVE_SHIFT             16u
#define HCA_ARG_CREATE_QP_CQNS_RECEIVE_MASK              0xFFFF0000u
#define HCA_ARG_CREATE_QP_PD                             23u
#define HCA_ARG_CREATE_QP_PD_PD_SHIFT                    0u
#define HCA_ARG_CREATE_QP_PD_PD_MASK                     0x00FFFFFFu
#define HCA_CMD_QUERY_QP                                 10u
#define HCA_ARG_QUERY_QP_QPN                             0u
#define HCA_ARG_QUERY_QP_QPN_QPN_SHIFT                   0u
#define HCA_ARG_QUERY_QP_QPN_QPN_MASK                    0x00FFFFFFu
#define HCA_ANSWER_QUERY_QP_STATE                        1u
#define HCA_ANSWER_QUERY_QP_STATE_STATE_SHIFT            0u
#define HCA_ANSWER_QUERY_QP_STATE_STATE_MASK             0x00000007u
#define HCA_ANSWER_QUERY_QP_STATE_SERVICE_SHIFT          4u
#define HCA_ANSWER_QUERY_QP_STATE_SERVICE_MASK           0x00000070u
#define HCA_ANSWER_QUERY_QP_STATE_PMTU_SHIFT             8u
#define HCA_ANSWER_QUERY_QP_STATE_PMTU_MASK              0x00000700u
#define HCA_ANSWER_QUERY_QP_LOG_SIZES                    2u
#define HCA_ANSWER_QUERY_QP_LOG_SIZES_SEND_SHIFT         0u
#define HCA_ANSWER_QUERY_QP_LOG_SIZES_SEND_MASK          0x000000FFu
#define HCA_ANSWER_QUERY_QP_LOG_SIZES_RECEIVE_SHIFT      8u
#define HCA_ANSWER_QUERY_QP_LOG_SIZES_RECEIVE_MASK       0x0000FF00u
#define HCA_ANSWER_QUERY_QP_SQ_BASE                      3u
#define HCA_ANSWER_QUERY_QP_RQ_BASE                      5u
#define HCA_ANSWER_QUERY_QP_CQNS                         7u
#define HCA_ANSWER_QUERY_QP_CQNS_SEND_SHIFT              0u
#define HCA_ANSWER_QUERY_QP_CQNS_SEND_MASK               0x0000FFFFu
#define HCA_ANSWER_QUERY_QP_CQNS_RECEIVE_SHIFT           16u
#define HCA_ANSWER_QUERY_QP_CQNS_RECEIVE_MASK            0xFFFF0000u
#define HCA_ANSWER_QUERY_QP_DEST_QPN                     8u
#define HCA_ANSWER_QUERY_QP_DEST_QPN_QPN_SHIFT           0u
#define HCA_ANSWER_QUERY_QP_DEST_QPN_QPN_MASK            0x00FFFFFFu
#define HCA_ANSWER_QUERY_QP_ADDRESS                      9u
#define HCA_ANSWER_QUERY_QP_ADDRESS_DLID_SHIFT           0u
#define HCA_ANSWER_QUERY_QP_ADDRESS_DLID_MASK            0x0000FFFFu
#define HCA_ANSWER_QUERY_QP_ADDRESS_SL_SHIFT             16u
#define HCA_ANSWER_QUERY_QP_ADDRESS_SL_MASK              0x000F0000u
#define HCA_ANSWER_QUERY_QP_ADDRESS_SOURCE_PATH_BITS_SHIFT 24u
#define HCA_ANSWER_QUERY_QP_ADDRESS_SOURCE_PATH_BITS_MASK 0x7F000000u
#define HCA_ANSWER_QUERY_QP_P_KEY                        10u
#define HCA_ANSWER_QUERY_QP_P_KEY_P_KEY_INDEX_SHIFT      0u
#define HCA_ANSWER_QUERY_QP_P_KEY_P_KEY_INDEX_MASK       0x0000FFFFu
#define HCA_ANSWER_QUERY_QP_P_KEY_PORT_SHIFT             16u
#define HCA_ANSWER_QUERY_QP_P_KEY_PORT_MASK              0x00FF0000u
#define HCA_ANSWER_QUERY_QP_SQ_PSN                       11u
#define HCA_ANSWER_QUERY_QP_SQ_PSN_PSN_SHIFT             0u
#define HCA_ANSWER_QUERY_QP_SQ_PSN_PSN_MASK              0x00FFFFFFu
#define HCA_ANSWER_QUERY_QP_RQ_PSN                       12u
#define HCA_ANSWER_QUERY_QP_RQ_PSN_PSN_SHIFT             0u
#define HCA_ANSWER_QUERY_QP_RQ_PSN_PSN_MASK              0x00FFFFFFu
#define HCA_ANSWER_QUERY_QP_TIMERS                       13u
#define HCA_ANSWER_QUERY_QP_TIMERS_MIN_RNR_TIMER_SHIFT   0u
#define HCA_ANSWER_QUERY_QP_TIMERS_MIN_RNR_TIMER_MASK    0x0000001Fu
#define HCA_ANSWER_QUERY_QP_TIMERS_TIMEOUT_SHIFT         8u
#define HCA_ANSWER_QUERY_QP_TIMERS_TIMEOUT_MASK          0x00001F00u
#define HCA_ANSWER_QUERY_QP_TIMERS_RETRY_CNT_SHIFT       16u
#define HCA_ANSWER_QUERY_QP_TIMERS_RETRY_CNT_MASK        0x00070000u
#define HCA_ANSWER_QUERY_QP_TIMERS_RNR_RETRY_SHIFT       24u
#define HCA_ANSWER_QUERY_QP_TIMERS_RNR_RETRY_MASK        0x07000000u
#define HCA_ANSWER_QUERY_QP_GRH                          14u
#define HCA_ANSWER_QUERY_QP_GRH_FLOW_LABEL_SHIFT         0u
#define HCA_ANSWER_QUERY_QP_GRH_FLOW_LABEL_MASK          0x000FFFFFu
#define HCA_ANSWER_QUERY_QP_GRH_GRH_SHIFT                31u
#define HCA_ANSWER_QUERY_QP_GRH_GRH_MASK                 0x80000000u
#define HCA_ANSWER_QUERY_QP_HOP                          15u
#define HCA_ANSWER_QUERY_QP_HOP_HOP_LIMIT_SHIFT          0u
#define HCA_ANSWER_QUERY_QP_HOP_HOP_LIMIT_MASK           0x000000FFu
#define HCA_ANSWER_QUERY_QP_HOP_TRAFFIC_CLASS_SHIFT      8u
#define HCA_ANSWER_QUERY_QP_HOP_TRAFFIC_CLASS_MASK       0x0000FF00u
#define HCA_ANSWER_QUERY_QP_DGID                         16u
#define HCA_ANSWER_QUERY_QP_MAC_HIGH                     20u
#define HCA_ANSWER_QUERY_QP_MAC_HIGH_BYTES_SHIFT         0u
#define HCA_ANSWER_QUERY_QP_MAC_HIGH_BYTES_MASK          0x0000FFFFu
#define HCA_ANSWER_QUERY_QP_MAC_HIGH_SOURCE_PORT_SHIFT   16u
#define HCA_ANSWER_QUERY_QP_MAC_HIGH_SOURCE_PORT_MASK    0xFFFF0000u
#define HCA_ANSWER_QUERY_QP_MAC_LOW                      21u
#define HCA_ANSWER_QUERY_QP_LIMITS                       22u
#define HCA_ANSWER_QUERY_QP_LIMITS_MAX_RD_ATOMIC_SHIFT   0u
#define HCA_ANSWER_QUERY_QP_LIMITS_MAX_RD_ATOMIC_MASK    0x000000FFu
#define HCA_ANSWER_QUERY_QP_LIMITS_MAX_DEST_RD_ATOMIC_SHIFT 8u
#define HCA_ANSWER_QUERY_QP_LIMITS_MAX_DEST_RD_ATOMIC_MASK 0x0000FF00u
#define HCA_ANSWER_QUERY_QP_LIMITS_REMOTE_WRITE_SHIFT    16u
#define HCA_ANSWER_QUERY_QP_LIMITS_REMOTE_WRITE_MASK     0x00010000u
#define HCA_ANSWER_QUERY_QP_LIMITS_REMOTE_READ_SHIFT     17u
#define HCA_ANSWER_QUERY_QP_LIMITS_REMOTE_READ_MASK      0x00020000u
#define HCA_ANSWER_QUERY_QP_LIMITS_REMOTE_ATOMIC_SHIFT   18u
#define HCA_ANSWER_QUERY_QP_LIMITS_REMOTE_ATOMIC_MASK    0x00040000u
#define HCA_ANSWER_QUERY_QP_LIMITS_CREDITS_SUPPLIED_SHIFT 24u
#define HCA_ANSWER_QUERY_QP_LIMITS_CREDITS_SUPPLIED_MASK 0x01000000u
#define HCA_ANSWER_QUERY_QP_LIMITS_CREDITS_EXPECTED_SHIFT 25u
#define HCA_ANSWER_QUERY_QP_LIMITS_CREDITS_EXPECTED_MASK 0x02000000u
#define HCA_ANSWER_QUERY_QP_PD                           23u
#define HCA_ANSWER_QUERY_QP_PD_PD_SHIFT                  0u
#define HCA_ANSWER_QUERY_QP_PD_PD_MASK                   0x00FFFFFFu
#define HCA_CMD_DESTROY_QP                               11u
#define HCA_ARG_DESTROY_QP_QPN                           0u
#define HCA_ARG_DESTROY_QP_QPN_QPN_SHIFT                 0u
#define HCA_ARG_DESTROY_QP_QPN_QPN_MASK                  0x00FFFFFFu

/* Results of a command. */
#define HCA_RESULT_OK                                    0u
#define HCA_RESULT_BAD_COMMAND                           1u
#define HCA_RESULT_BAD_INDEX                             2u
#define HCA_RESULT_BAD_SIZE                              3u
#define HCA_RESULT_IN_USE                                4u
#define HCA_RESULT_NOT_FOUND                             5u
#define HCA_RESULT_BAD_TRANSITION                        6u
#define HCA_RESULT_MISSING_ATTRIBUTE                     7u
#define HCA_RESULT_FORBIDDEN_ATTRIBUTE                   8u
#define HCA_RESULT_BAD_ATTRIBUTE                         9u
#define HCA_RESULT_CQ_FAILED                             10u
#define HCA_RESULT_BAD_ADDRESS                           11u
#define HCA_RESULT_CQ_RESERVED                           12u

/* QP states. */
#define HCA_STATE_RESET                                  0u
#define HCA_STATE_INIT                                   1u
#define HCA_STATE_RTR                                    2u
#define HCA_STATE_RTS                                    3u
#define HCA_STATE_SQD                                    4u
#define HCA_STATE_SQE                                    5u
#define HCA_STATE_ERROR                                  6u

/* Transport services. */
#define HCA_SERVICE_RC                                   0u
#define HCA_SERVICE_UC                                   1u

/* SEND_WQE: entry i of a send ring is at base + 64 * (i mod size). */
#define HCA_SEND_WQE_BYTES                               64u
#define HCA_SEND_WQE_OPERATION_AT                        0u
#define HCA_SEND_WQE_OPERATION_BYTES                     1u
#define HCA_SEND_WQE_FLAGS_AT                            1u
#define HCA_SEND_WQE_FLAGS_BYTES                         1u
#define HCA_SEND_WQE_SGES_AT                             2u
#define HCA_SEND_WQE_SGES_BYTES                          1u
#define HCA_SEND_WQE_IMMEDIATE_AT                        4u
#define HCA_SEND_WQE_IMMEDIATE_BYTES                     4u
#define HCA_SEND_WQE_REMOTE_VA_AT                        8u
#define HCA_SEND_WQE_REMOTE_VA_BYTES                     8u
#define HCA_SEND_WQE_R_KEY_AT                            16u
#define HCA_SEND_WQE_R_KEY_BYTES                         4u
#define HCA_SEND_WQE_LENGTH_AT                           20u
#define HCA_SEND_WQE_LENGTH_BYTES                        4u
#define HCA_SEND_WQE_SGE_0_AT                            32u
#define HCA_SEND_WQE_SGE_0_BYTES                         16u
#define HCA_SEND_WQE_SGE_1_AT                            48u
#define HCA_SEND_WQE_SGE_1_BYTES                         16u

/* RECEIVE_WQE: entry i of a receive ring is at base + 64 * (i mod size). */
#define HCA_RECEIVE_WQE_BYTES                            64u
#define HCA_RECEIVE_WQE_FLAGS_AT                         1u
#define HCA_RECEIVE_WQE_FLAGS_BYTES                      1u
#define HCA_RECEIVE_WQE_SGES_AT                          2u
#define HCA_RECEIVE_WQE_SGES_BYTES                       1u
#define HCA_RECEIVE_WQE_LENGTH_AT                        20u
#define HCA_RECEIVE_WQE_LENGTH_BYTES                     4u
#define HCA_RECEIVE_WQE_SGE_0_AT                         32u
#define HCA_RECEIVE_WQE_SGE_0_BYTES                      16u
#define HCA_RECEIVE_WQE_SGE_1_AT                         48u
#define HCA_RECEIVE_WQE_SGE_1_BYTES                      16u

/* SGE: a piece of memory; a list of them is 64-byte aligned. */
#define HCA_SGE_BYTES                                    16u
#define HCA_SGE_ADDRESS_AT                               0u
#define HCA_SGE_ADDRESS_BYTES                            8u
#define HCA_SGE_LENGTH_AT                                8u
#define HCA_SGE_LENGTH_BYTES                             4u
#define HCA_SGE_L_KEY_AT                                 12u
#define HCA_SGE_L_KEY_BYTES                              4u

/* CQE: entry i of a completion ring is at base + 32 * (i mod size). */
#define HCA_CQE_BYTES                                    32u
#define HCA_CQE_WQE_INDEX_AT                             0u
#define HCA_CQE_WQE_INDEX_BYTES                          2u
#define HCA_CQE_STATUS_AT                                2u
#define HCA_CQE_STATUS_BYTES                             1u
#define HCA_CQE_FLAGS_AT                                 3u
#define HCA_CQE_FLAGS_BYTES                              1u
#define HCA_CQE_OPERATION_AT                             4u
#define HCA_CQE_OPERATION_BYTES                          1u
#define HCA_CQE_QPN_AT                                   5u
#define HCA_CQE_QPN_BYTES                                3u
#define HCA_CQE_BYTE_COUNT_AT                            8u
#define HCA_CQE_BYTE_COUNT_BYTES                         4u
#define HCA_CQE_IMMEDIATE_AT                             12u
#define HCA_CQE_IMMEDIATE_BYTES                          4u
#define HCA_CQE_P_KEY_INDEX_AT                           16u
#define HCA_CQE_P_KEY_INDEX_BYTES                        2u
#define HCA_CQE_PHASE_AT                                 31u
#define HCA_CQE_PHASE_BYTES                              1u

/* EQE: entry i of the event ring is at EQ_BASE + 16 * (i mod size). */
#define HCA_EQE_BYTES                                    16u
#define HCA_EQE_KIND_AT                                  0u
#define HCA_EQE_KIND_BYTES                               1u
#define HCA_EQE_NUMBER_AT                                1u
#define HCA_EQE_NUMBER_BYTES                             3u
#define HCA_EQE_PHASE_AT                                 15u
#define HCA_EQE_PHASE_BYTES                              1u

/* Operations of a send WQE. */
#define HCA_OP_SEND                                      0u
#define HCA_OP_SEND_IMMEDIATE                            1u
#define HCA_OP_SEND_INVALIDATE                           2u
#define HCA_OP_WRITE                                     3u
#define HCA_OP_WRITE_IMMEDIATE                           4u
#define HCA_OP_READ                                      5u
#define HCA_OP_COMPARE_SWAP                              6u
#define HCA_OP_FETCH_ADD                                 7u

/* Operations of a CQE of the receive queue. */
#define HCA_OP_RECEIVE                                   128u
#define HCA_OP_RECEIVE_WRITE                             129u

/* Flags of a WQE. */
#define HCA_WQE_FLAG_SIGNALED                            0x01u
#define HCA_WQE_FLAG_SOLICITED                           0x02u
#define HCA_WQE_FLAG_FENCE                               0x04u
#define HCA_WQE_FLAG_INLINE                              0x08u
#define HCA_WQE_FLAG_INDIRECT                            0x10u

/* Flags of a CQE. */
#define HCA_CQE_FLAG_RECEIVE                             0x01u
#define HCA_CQE_FLAG_IMMEDIATE                           0x02u
#define HCA_CQE_FLAG_P_KEY_INDEX                         0x04u
#define HCA_CQE_FLAG_INVALIDATED                         0x08u

/* Statuses of a CQE. */
#define HCA_STATUS_SUCCESS                               0u
#define HCA_STATUS_LOC_LEN_ERR                           1u
#define HCA_STATUS_LOC_QP_OP_ERR                         2u
#define HCA_STATUS_LOC_PROT_ERR                          4u
#define HCA_STATUS_WR_FLUSH_ERR                          5u
#define HCA_STATUS_BAD_RESP_ERR                          7u
#define HCA_STATUS_LOC_ACCESS_ERR                        8u
#define HCA_STATUS_REM_INV_REQ_ERR                       9u
#define HCA_STATUS_REM_ACCESS_ERR                        10u
#define HCA_STATUS_REM_OP_ERR                            11u
#define HCA_STATUS_RETRY_EXC_ERR                         12u
#define HCA_STATUS_RNR_RETRY_EXC_ERR                     13u

/* Kinds of events. */
#define HCA_EVENT_COMPLETION                             1u
#define HCA_EVENT_CQ_ERROR                               2u
#define HCA_EVENT_COMMUNICATION_ESTABLISHED              16u
#define HCA_EVENT_SQ_DRAINED                             17u
#define HCA_EVENT_QP_REQUEST_ERROR                       18u
#define HCA_EVENT_QP_ACCESS_ERROR                        19u
#define HCA_EVENT_QP_FATAL                               20u

#endif
